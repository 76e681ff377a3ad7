// What is to be seen, from what is chosen and from what Python sent: no document, so that it can be tested without a
// page.

/** Return the shade of each place, 0 for white to 1 for black, and the largest energy of a stage. */
export function shadesOf(energies, shape, stage) {
  const size = shape[1] * shape[2];
  const values = energies.slice(stage * size, (stage + 1) * size);
  const most = Math.max(...values) || 1;
  return { most, shades: values.map((value) => value / most) };
}
