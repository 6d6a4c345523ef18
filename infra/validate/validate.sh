#!/usr/bin/env bash
# Proves template.yaml three ways: our own strict reader, AWS's linter, and a
# real `sam build` for both processors. Where Python or its package index is
# out of reach, says so in one line and leaves the first proof standing alone;
# in CI (the variable CI is set) it fails then, because nobody reads that line.
# With FULL=1 also rehearses a deployment: create a stack of the template before (FROM, a commit or a tag), update it to this
# one and delete it. Then asks checkov; security.py lists the exceptions with their reasons.
set -euo pipefail
cd "$(dirname "$0")/../.."

export SAM_CLI_TELEMETRY=0
export AWS_DEFAULT_REGION="${AWS_DEFAULT_REGION:-us-east-1}" # the linter wants to know; nothing is called
venv=.local/venv
wanted=infra/validate/requirements.txt

step() { printf '\n== %s\n' "$*"; }

alone() {
	if [ -n "${CI:-}" ]; then
		echo "validate: $1; in CI sam and cfn-lint must run" >&2
		exit 1
	fi
	echo "validate: $1; sam and cfn-lint did not run, the strict Go check of template.yaml stands alone"
	exit 0
}

install_tools() {
	if [ -x "$venv/bin/sam" ] && cmp -s "$wanted" "$venv/installed"; then
		return
	fi
	command -v python3 >/dev/null || alone "there is no python3"
	mkdir -p .local
	python3 -m venv "$venv" >.local/venv.log 2>&1 || alone "python3 has no venv module"
	"$venv/bin/pip" install --quiet --disable-pip-version-check --retries 1 -r "$wanted" >>.local/venv.log 2>&1 ||
		alone "the Python package index refused $(paste -sd' ' "$wanted") ($(tail -1 .local/venv.log | cut -c1-160))"
	cp "$wanted" "$venv/installed"
}

# machine PROGRAM prints the processor an ELF file is for.
machine() {
	case "$(od -An -tx1 -j18 -N1 "$1" | tr -d ' ')" in
	3e) echo x86_64 ;;
	b7) echo arm64 ;;
	*) echo unknown ;;
	esac
}

# dynamic PROGRAM says whether it asks for a dynamic loader.
dynamic() { if head -c 4096 "$1" | grep -aq 'ld-linux'; then echo yes; else echo no; fi; }

# build ARCHITECTURE builds every program into .aws-sam/ARCHITECTURE.
build() {
	local arch=$1 out=.aws-sam/$1 started=$SECONDS program
	"$venv/bin/sam" build --build-dir "$out" \
		--parameter-overrides "Architecture=$arch" >.aws-sam/"$arch".log 2>&1 || {
		cat .aws-sam/"$arch".log >&2
		exit 1
	}
	for program in "$out"/*/bootstrap; do
		if [ "$(dynamic "$program")" = yes ]; then
			echo "validate: $program is linked against a C library" >&2
			exit 1
		fi
		if [ "$(machine "$program")" != "$arch" ]; then
			echo "validate: $program is for $(machine "$program"), want $arch" >&2
			exit 1
		fi
		printf '%-8s %-28s %6s KB zipped\n' "$arch" "$(basename "$(dirname "$program")")" \
			$(($(gzip -6 -c "$program" | wc -c) / 1024))
	done
	echo "sam build for $arch took $((SECONDS - started)) s"
}

# build_environment proves that sam build reads the processor of the
# environment it builds for, not of another.
build_environment() {
	sed 's/"Stage=prod"/&, "Architecture=arm64"/' samconfig.toml >.aws-sam/samconfig.toml
	"$venv/bin/sam" build OauthFunction --config-env prod --config-file "$PWD/.aws-sam/samconfig.toml" >.aws-sam/prod.log 2>&1 || {
		cat .aws-sam/prod.log >&2
		exit 1
	}
	local built
	built=$(machine .aws-sam/prod/OauthFunction/bootstrap)
	rm -r .aws-sam/prod # nobody shall deploy it
	if [ "$built" != arm64 ]; then
		echo "validate: sam build --config-env prod built for $built, its parameters say arm64" >&2
		exit 1
	fi
	echo "an environment with Architecture=arm64 is built for arm64"
}

# before prints the commit whose template is the one before: the last tag, else the last commit with another template.
before() {
	git describe --tags --abbrev=0 2>/dev/null && return
	local commit
	for commit in $(git log -2 --format=%h -- template.yaml); do
		git diff --quiet "$commit" -- template.yaml || { echo "$commit" && return; }
	done
}

# rehearse creates, updates and deletes a stack, in an implementation of CloudFormation that is not ours.
rehearse() {
	"$venv/bin/pip" install --quiet --disable-pip-version-check -r infra/validate/full.txt
	local from=${FROM:-$(before)}
	if [ -z "$from" ]; then
		echo "validate: this clone has no commit with another template; name one by FROM" >&2
		exit 1
	fi
	git show "$from:template.yaml" >.aws-sam/before.yaml
	echo "from the template of $from to this one"
	go run ./infra/validate/upgrade .aws-sam/before.yaml template.yaml
	"$venv/bin/python" infra/validate/rehearse.py .aws-sam/before.yaml template.yaml
}

# security asks checkov, whose own dependencies contradict those of sam: it has a virtual environment of its own.
security() {
	local checkov=.local/checkov
	if ! cmp -s infra/validate/checkov.txt "$checkov/installed"; then
		python3 -m venv "$checkov"
		"$checkov/bin/pip" install --quiet --disable-pip-version-check -r infra/validate/checkov.txt
		cp infra/validate/checkov.txt "$checkov/installed"
	fi
	PYTHONDONTWRITEBYTECODE=1 "$venv/bin/python" infra/validate/security.py "$checkov/bin/checkov" template.yaml
}

step "strict Go check"
go test -count=1 ./infra/check/... ./infra/local/template/...

install_tools
mkdir -p .aws-sam
step "sam validate --lint"
"$venv/bin/sam" validate --lint
step "sam build"
build x86_64
build arm64
build_environment
step "operations of programs and their policies"
go run ./infra/operations .aws-sam/x86_64
step "sam local"
"$venv/bin/python" infra/samlocal/record.py --check
echo "sam local gives programs the events that infra/samlocal holds"
if [ -n "${FULL:-}" ]; then
	step "rehearsal"
	rehearse
	step "checkov"
	security
fi
