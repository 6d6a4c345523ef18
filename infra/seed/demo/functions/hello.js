// Answers with a greeting. Run it with {"data": {"name": "Ada"}}.
exports.main = async (event) => {
  const name = event.data.name || 'world';
  console.log('greeting', name);
  return { message: 'hello, ' + name };
};
