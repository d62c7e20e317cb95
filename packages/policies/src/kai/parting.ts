/** Where two paths from the outermost queue inwards part: the depth of the first queue that they have not in common. */
export function partingOf(a: readonly unknown[], b: readonly unknown[]): number {
  let depth = 0
  while (a[depth] === b[depth]) depth++
  return depth
}
