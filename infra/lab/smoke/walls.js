// A function that tries to leave its sandbox. What it reaches is its result; the log says how each attempt was refused.
const fs = require('fs');

const attempts = {
  'a file of the machine': () => fs.readFileSync('/etc/passwd', 'utf8'),
  'the program': () => fs.readFileSync('/var/task/bootstrap'),
  'the environment of the process': () => fs.readFileSync('/proc/self/environ', 'utf8'),
  'a write outside /tmp': () => fs.writeFileSync('/var/task/smoke', 'x'),
  'another process': () => require('child_process').execSync('id'),
  'a socket': () => require('net').connect(443, '1.1.1.1'),
  'a name server': () => require('dns').promises.resolve('example.com'),
  'native code': () => process.dlopen({}, '/tmp/x.node'),
  'the runtime interface of Lambda': () => BaaS.request('http://127.0.0.1:9001/2018-06-01/runtime/invocation/next'),
  'the credentials of the machine': () => BaaS.request('http://169.254.169.254/latest/meta-data/iam/'),
  'the credentials of a container': () => fetch('http://169.254.170.2/v2/credentials'),
};

exports.main = async (event) => {
  const reached = [];
  for (const [what, attempt] of Object.entries(attempts)) {
    try {
      await attempt();
      reached.push(what);
    } catch (error) {
      console.log(what, 'refused:', error.message);
    }
  }

  fs.writeFileSync('/tmp/smoke', 'kept');
  const found = await new BaaS.TableObject(event.data.table).find();
  return {
    reached,
    variables: Object.keys(process.env).filter((name) => /^_|AWS|LAMBDA|TABLE|QUEUE|KEY|SECRET|TOKEN/.test(name)),
    tmp: fs.readFileSync('/tmp/smoke', 'utf8'),
    rows: found.data.objects.length,
  };
};
