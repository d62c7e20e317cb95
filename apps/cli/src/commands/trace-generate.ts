import { SchedError } from '@sched/core'
import { generators, type AnyGenerator } from '@sched/workload'
import type { Command } from 'commander'
import type * as z from '@sched/bundled/zod'
import { chosenGenerator } from '../experiment/generator.js'
import type { Io } from '../io.js'
import { saved } from './trace-convert.js'
import { yamlValue } from './option-values.js'

/** One command per generator, with its options as the schema has them; or a generator with options as a file has them. */
export function addGenerate(trace: Command, io: Io): void {
  const command = trace
    .command('generate')
    .summary('write generated jobs')
    .description('Writes generated jobs in the native format: JSON Lines, one job per line; packed when the name ends in .gz; as a log in SWF or a table in Parquet when it ends so, as `sched trace convert` does.')
    .argument('<kind>', 'a kind, with options of its own (below), or a kind with options as in a file, {facebook: {kind: cpu}}', yamlValue)
    .argument('<out>', 'the file to write; - for standard output')
    .option('--force', 'replace an existing file')
    .action(async (kind: unknown, out: string, { force = false }: { readonly force?: boolean }) => {
      const { generator, options } = chosenGenerator(kind)
      await saved(openLoop(generator, options), out, force, io)
    })
  for (const generator of generators) addKind(command, generator, io)
}

function addKind(parent: Command, generator: AnyGenerator, io: Io): void {
  const { generator: name, summary, source, options } = generator
  const command = parent
    .command(name)
    .summary(summary)
    .description(`${summary}${source === undefined ? '' : `\nSource: ${source}`}`)
    .argument('<out>', 'the file to write; - for standard output')
  const keys = Object.entries<z.ZodType>(options.shape)
  for (const [key, schema] of keys) command.option(`--${kebab(key)} <value>`, `${schema.description ?? key}${defaultText(schema)}`, yamlValue)
  command.option('--force', 'replace an existing file').action(async (out: string, given: Record<string, unknown>) => {
    const { force = parent.getOptionValue('force') as unknown, ...chosen } = given // commander gives an option that both have to the outer command
    await saved(openLoop(generator, chosen), out, force === true, io)
  })
}

function openLoop(generator: AnyGenerator, options: unknown) {
  const workload = generator.from(options)
  if (workload.open().ended !== undefined)
    throw new SchedError(
      'BAD_OPTION',
      `"${generator.generator}" submits a job whenever one ends, so its times depend on the run.`,
      {},
      'A file cannot hold it; generate it inside an experiment.',
    )
  return workload
}

const kebab = (key: string) => key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

function defaultText(schema: z.ZodType): string {
  const read = schema.safeParse(undefined)
  return read.success && read.data !== undefined ? ` (default: ${JSON.stringify(read.data)})` : ''
}
