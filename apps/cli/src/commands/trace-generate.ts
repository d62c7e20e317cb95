import { SchedError, type Defined, type Registry } from '@sched/core'
import { generatedBy } from '@sched/workload'
import type { Command } from 'commander'
import { chosenGenerator } from '../experiment/generator.js'
import type { Io } from '../io.js'
import { refuseSlips } from '../refuse-slips.js'
import { builtIns, withPlugIns } from '../registry.js'
import { optionsSchema, type JsonSchema } from '../schema/json-schema.js'
import { saved } from './trace-convert.js'
import { collected, yamlValue } from './option-values.js'

interface GenerateOptions {
  readonly force?: boolean
  readonly plugin?: readonly string[]
}

/** One command per generator, with its options as the schema has them; or a generator with options as a file has them. */
export function addGenerate(trace: Command, io: Io): void {
  const command = trace
    .command('generate')
    .summary('write generated jobs')
    .description('Writes generated jobs in the native format: JSON Lines, one job per line; packed when the name ends in .gz; as a log in SWF or a table in Parquet when it ends so, as `sched trace convert` does.')
    .argument('<kind>', 'a kind, with options of its own (below), or a kind with options as in a file, {facebook: {kind: cpu}}', yamlValue)
    .argument('<out>', 'the file to write; - for standard output')
    .option('--plugin <module>', 'a plug-in of yours, whose generators are kinds, too; may be repeated', collected)
    .option('--force', 'replace an existing file')
    .action(async (kind: unknown, out: string, { force = false, plugin }: GenerateOptions) => {
      await saved(openLoop(kind, {}, await withPlugIns(plugin, io.cwd)), out, force, io)
    })
  if (io.argv?.includes('generate') === true) addKinds(command, builtIns(), io) // which would cost every other command, too
  trace.hook('preSubcommand', async (_, chosen) => {
    const modules = chosen === command ? pluginsOf(io.argv ?? []) : []
    if (modules.length > 0) addKinds(command, await withPlugIns(modules, io.cwd), io).forEach(refuseSlips) // before anything is parsed, as they say what there is to parse
  })
}

/** A command for each generator that has none yet. */
function addKinds(parent: Command, registry: Registry, io: Io): Command[] {
  const known = new Set(parent.commands.map((each) => each.name()))
  return registry.added('generator').filter(({ name }) => !known.has(name)).map((generator) => addKind(parent, generator, registry, io))
}

/** The modules of `--plugin MODULE` and `--plugin=MODULE`. */
function pluginsOf(argv: readonly string[]): string[] {
  return argv.flatMap((word, i) => {
    const given = word.startsWith('--plugin=') ? word.slice('--plugin='.length) : argv[i - 1] === '--plugin' ? word : ''
    return given === '' || given.startsWith('--') ? [] : [given] // what is no module is told of where options are read
  })
}

function addKind(parent: Command, { name, summary, source, options }: Defined<'generator'>, registry: Registry, io: Io): Command {
  const command = parent
    .command(name)
    .summary(summary)
    .description(`${summary}${source === undefined ? '' : `\nSource: ${source}`}`)
    .argument('<out>', 'the file to write; - for standard output')
  const keys = Object.entries((optionsSchema(options)?.['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>)
  for (const [key, schema] of keys) command.option(`--${kebab(key)} <value>`, `${(schema['description'] as string | undefined) ?? key}${defaultText(schema)}`, yamlValue)
  return command.option('--force', 'replace an existing file').action(async (out: string, given: Record<string, unknown>) => {
    const { force = parent.getOptionValue('force') as unknown, ...chosen } = given // commander gives an option that both have to the outer command
    await saved(openLoop(name, chosen, registry), out, force === true, io)
  })
}

function openLoop(kind: unknown, options: Readonly<Record<string, unknown>>, registry: Registry) {
  const { name, plug } = chosenGenerator(typeof kind === 'string' ? { [kind]: options } : kind, registry)
  const workload = generatedBy(plug, 1)
  if (workload.open().ended !== undefined)
    throw new SchedError(
      'BAD_OPTION',
      `"${name}" submits a job whenever one ends, so its times depend on the run.`,
      {},
      'A file cannot hold it; generate it inside an experiment.',
    )
  return workload
}

const kebab = (key: string) => key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

const defaultText = ({ default: usual }: JsonSchema): string => (usual === undefined ? '' : ` (default: ${JSON.stringify(usual)})`)
