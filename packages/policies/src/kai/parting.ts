/** The depth at which two paths, from the outermost queue inwards, part: that of the first queue that they do not share. */
export function partingOf(a: readonly unknown[], b: readonly unknown[]): number {
  let depth = 0
  while (a[depth] === b[depth]) depth++
  return depth
}
