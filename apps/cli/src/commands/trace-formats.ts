import { traceFormat, traceFormats } from '@sched/workload'
import { json } from '@sched/report'
import type { Command } from 'commander'
import type { Io } from '../io.js'
import { listItem, partText } from '../output/installed.js'
import { PROSE } from '../output/wrapped.js'
import { optionsSchema } from '../schema/json-schema.js'

export function addFormats(trace: Command, io: Io): void {
  trace
    .command('formats')
    .summary('list the formats that are read, with options')
    .description('Lists the formats of traces that are read, with the options that --option takes (`options` in a file). A name lists that one.')
    .argument('[name...]', 'only these, with their options')
    .option('--json', 'print JSON, options as JSON Schema')
    .action((names: readonly string[], { json: isJson = false }: { readonly json?: boolean }) => {
      const chosen = names.length === 0 ? traceFormats : names.map(traceFormat)
      const formats = chosen.map(({ name, title: summary, source, options }) => ({ name, summary, source, options: optionsSchema(options) }))
      const width = io.stdout.columns ?? PROSE
      if (isJson) io.stdout.write(json(formats))
      else if (names.length > 0) io.stdout.write(formats.map((format) => partText(format, width)).join('\n'))
      else io.stdout.write(`${formats.map((format) => listItem(format, longest, width)).join('')}\nOptions of one: sched trace formats NAME\n`)
    })
}

const longest = Math.max(...traceFormats.map(({ name }) => name.length))
