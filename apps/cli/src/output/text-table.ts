/** Rows as aligned text, the first one as heading: first column to the left, the others to the right. */
export function textTable(rows: readonly (readonly string[])[]): string {
  const widths = rows.reduce<number[]>((most, row) => row.map((cell, i) => Math.max(most[i] ?? 0, cell.length)), [])
  const line = (row: readonly string[]) => row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join('  ')
  const [heading = [], ...body] = rows
  const rule = widths.map((width) => '-'.repeat(width)).join('  ')
  return [line(heading), rule, ...body.map(line)].map((text) => `${text.trimEnd()}\n`).join('')
}
