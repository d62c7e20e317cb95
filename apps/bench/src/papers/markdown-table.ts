/** A table in Markdown under a line of text. */
export function markdownTable(title: string, heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [`**${title}**`, '', line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n')
}
