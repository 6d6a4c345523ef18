// Adds numbers, in the callback form. Run it with {"data": {"numbers": [1, 2, 3]}}.
exports.main = function (event, callback) {
  const numbers = event.data.numbers;
  if (!Array.isArray(numbers)) {
    callback(new TypeError('data.numbers must be an array'));
    return;
  }
  callback(null, { sum: numbers.reduce((total, n) => total + n, 0), count: numbers.length });
};
