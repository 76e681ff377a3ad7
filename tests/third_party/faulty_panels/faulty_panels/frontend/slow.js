export function draw() {
  const until = performance.now() + 1000;
  while (performance.now() < until);
  return { most: 1 };
}
