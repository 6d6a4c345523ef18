#!/usr/bin/env bash
# Runs `sam local start-api` beside `make run`: the programs behind the API run
# in sam's containers, everything they call is that of make run, from which
# DATA_DIR/sam-env.json says where it is. SAM_PORT is sam's port; further
# arguments go to sam (--skip-pull-image, --debug …).
set -euo pipefail
cd "$(dirname "$0")/../.."

environment=${DATA_DIR:-.local}/sam-env.json
export SAM_CLI_TELEMETRY=0
# Nothing is called but this machine, so nobody's own keys go into containers.
export AWS_ACCESS_KEY_ID=local AWS_SECRET_ACCESS_KEY=local AWS_DEFAULT_REGION=us-east-1
unset AWS_PROFILE AWS_SESSION_TOKEN

stop() { echo "sam-local: $*" >&2; exit 1; }

sam=$(command -v sam || echo .local/venv/bin/sam)
[ -x "$sam" ] || stop "sam is not installed: 'make validate' brings it to .local/venv, or see AWS's instructions"
docker info >/dev/null 2>&1 || stop "there is no Docker that answers: sam runs programs in its containers"
[ -f "$environment" ] || stop "there is no $environment: start 'make run' in another terminal first"

# Where containers look for the services: http://host:port of any program.
endpoint=$(sed -n 's|.*"AWS_ENDPOINT_URL": *"http://\([^"]*\)".*|\1|p' "$environment" | head -1)
host=${endpoint%:*} port=${endpoint##*:}

# answers HOST says whether the services can be reached there.
answers() { (exec 3<>"/dev/tcp/$1/$port") 2>/dev/null; }

hosts=()
if [ "$host" = host.docker.internal ]; then
	host=127.0.0.1
	# Docker Desktop leads that name to this machine's loopback. Elsewhere it is
	# the bridge's address, to which the services must be bound.
	if ! docker info --format '{{.OperatingSystem}}' | grep -q 'Docker Desktop'; then
		gateway=$(docker network inspect bridge --format '{{range .IPAM.Config}}{{.Gateway}}{{end}}')
		host=${gateway:-172.17.0.1}
		hosts=(--add-host "host.docker.internal:$host")
	fi
fi
if ! answers "$host"; then
	answers 127.0.0.1 || stop "nothing answers at port $port: start 'make run' in another terminal first"
	stop "containers reach this machine at $host, where nothing answers at port $port: start it by 'AWS_BIND=$host make run'"
fi

case $(uname -m) in
arm64 | aarch64) architecture=arm64 ;;
*) architecture=x86_64 ;;
esac
"$sam" build --parameter-overrides "Architecture=$architecture"
exec "$sam" local start-api --port "${SAM_PORT:-3000}" --env-vars "$environment" \
	--parameter-overrides "Architecture=$architecture" ${hosts[@]+"${hosts[@]}"} "$@"
