// Probabilities of the normal distribution and of Student's.

/** The probability beyond ±z of the normal distribution: a series near 0, a continued fraction beyond. Its error is below 10⁻¹³. */
export function twoSided(z: number): number {
  const x = Math.abs(z) / Math.SQRT2;
  const density = Math.exp(-x * x) / Math.sqrt(Math.PI);
  if (x < 2.5) {
    let [term, sum] = [x, x];
    for (let n = 1; term > 1e-17 * sum; n++) {
      term *= (2 * x * x) / (2 * n + 1);
      sum += term;
    }
    return 1 - 2 * density * sum;
  }
  let fraction = x;
  for (let n = 60; n > 0; n--) fraction = x + n / 2 / fraction;
  return density / fraction;
}

/** The probability beyond ±t of Student's distribution. */
export function twoSidedT(t: number, freedom: number): number {
  return beta(freedom / (freedom + t * t), freedom / 2, 0.5);
}

/** The number beyond ± which a distribution has this probability. */
export function quantileOf(probability: number, beyond: (x: number) => number): number {
  let high = 1;
  while (beyond(high) > probability) high *= 2;
  for (let step = high / 2; step > 1e-14 * high; step /= 2) {
    if (beyond(high - step) <= probability) high -= step;
  }
  return high;
}

/** The incomplete beta function (Numerical Recipes, 6.4), by Lentz's continued fraction. */
function beta(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x > (a + 1) / (a + b + 2)) return 1 - beta(1 - x, b, a);
  let [c, d] = [1, 1 / (1 - ((a + b) * x) / (a + 1))];
  let fraction = d;
  const step = (n: number) => {
    [d, c] = [1 / (1 + n * d), 1 + n / c];
    fraction *= d * c;
  };
  for (let m = 1; m < 300; m++) {
    step((m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m)));
    step((-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1)));
    if (Math.abs(d * c - 1) < 1e-14) break;
  }
  const front = logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x);
  return (Math.exp(front) / a) * fraction;
}

/** The logarithm of the gamma function, by Lanczos' approximation (Numerical Recipes, 6.1). Its error is below 2 · 10⁻¹⁰. */
function logGamma(x: number): number {
  const coefficients = [
    76.18009172947146, -86.50532032941678, 24.01409824083091, -1.231739572450155, 0.001208650973866179,
    -0.000005395239384953,
  ];
  const series = coefficients.reduce((sum, coefficient, n) => sum + coefficient / (x + n + 1), 1.000000000190015);
  return Math.log((2.5066282746310007 * series) / x) - (x + 5.5 - (x + 0.5) * Math.log(x + 5.5));
}
