import type { ParquetTable } from './table.js'

const pieceRows = 4096 // about 1 MiB of text

/** The header line of a CSV of the table. */
export const headerLine = ({ columns }: Pick<ParquetTable, 'columns'>): string => `${columns.map(({ name }) => field(name)).join(',')}\n`

/** The rows of a table as lines of CSV, in pieces. Line ends within a text become blanks. Throws what `batches` throws. */
export async function* csvRows(table: ParquetTable, mostRows?: number): AsyncGenerator<string, void, undefined> {
  for await (const { rows, texts } of table.batches(mostRows))
    for (let from = 0; from < rows; from += pieceRows) {
      const to = Math.min(from + pieceRows, rows)
      const columns = texts(from, to)
      const [first = []] = columns
      let piece = ''
      for (let row = 0; row < to - from; row++) {
        piece += field(first[row]!)
        for (let column = 1; column < columns.length; column++) piece += `,${field(columns[column]![row]!)}`
        piece += '\n'
      }
      yield piece
    }
}

const field = (text: string): string => (/[",\r\n\0]/.test(text) ? `"${text.replaceAll('"', '""').replace(/[\r\n\0]+/g, ' ')}"` : text)

/** The rows as JSON objects with all values as strings and without missing values; fields of structs are in objects. Throws what `batches` throws. */
export async function* jsonRows({ columns, batches }: ParquetTable): AsyncGenerator<string, void, undefined> {
  for await (const { rows, texts } of batches())
    for (let row = 0; row < rows; row++) {
      const object = {}
      texts(row, row + 1).forEach(([text = ''], column) => void (text !== '' && put(object, columns[column]!.path, text)))
      yield JSON.stringify(object)
    }
}

function put(object: Record<string, unknown>, path: readonly string[], text: string): void {
  let at = object
  for (const key of path.slice(0, -1)) at = (at[key] ??= {}) as Record<string, unknown>
  at[path.at(-1)!] = text
}
