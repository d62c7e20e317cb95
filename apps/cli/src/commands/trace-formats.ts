import { formatNamed, formatsIn } from '@sched/workload'
import { json } from '@sched/report'
import type { Command } from 'commander'
import type { Io } from '../io.js'
import { listItem, partText } from '../output/installed.js'
import { PROSE } from '../output/wrapped.js'
import { withPlugIns } from '../registry.js'
import { optionsSchema } from '../schema/json-schema.js'
import { collected } from './option-values.js'

interface FormatsOptions {
  readonly json?: boolean
  readonly plugin?: readonly string[]
}

export function addFormats(trace: Command, io: Io): void {
  trace
    .command('formats')
    .summary('list the formats that are read, with options')
    .description('Lists the formats of traces that are read, with the options that --option takes (`options` in a file). A name lists that one.')
    .argument('[name...]', 'only these, with their options')
    .option('--plugin <module>', 'a plug-in whose formats to list, too; may be repeated', collected)
    .option('--json', 'print JSON, options as JSON Schema')
    .action(async (names: readonly string[], { json: isJson = false, plugin }: FormatsOptions) => {
      const known = formatsIn(await withPlugIns(plugin, io.cwd))
      const chosen = names.length === 0 ? known : names.map((name) => formatNamed(name, known))
      const formats = chosen.map(({ name, summary, source, options }) => ({ name, summary, source, options: optionsSchema(options) }))
      const width = io.stdout.columns ?? PROSE
      const longest = Math.max(...known.map(({ name }) => name.length))
      if (isJson) io.stdout.write(json(formats))
      else if (names.length > 0) io.stdout.write(formats.map((format) => partText(format, width)).join('\n'))
      else io.stdout.write(`${formats.map((format) => listItem(format, longest, width)).join('')}\nOptions of one: sched trace formats NAME\n`)
    })
}
