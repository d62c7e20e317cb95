import { json } from '@sched/report'
import type { Command } from 'commander'
import type { Io } from '../io.js'
import { installed, installedList, installedText } from '../output/installed.js'
import { PROSE } from '../output/wrapped.js'
import { withPlugIns } from '../registry.js'
import { collected } from './option-values.js'

interface PoliciesOptions {
  readonly json?: boolean
  readonly plugin?: readonly string[]
}

export function addPolicies(program: Command, io: Io): void {
  program
    .command('policies')
    .summary('list what is installed; of one its options')
    .description('Lists policies, orders, placements and architectures, and metrics of plug-ins. Of those that are named: options, with types, ranges and defaults, and sources.')
    .argument('[name...]', 'only these, with their options')
    .option('--plugin <module>', 'a plug-in to list, too; may be repeated', collected)
    .option('--json', 'print JSON, options as JSON Schema')
    .action(async (names: readonly string[], options: PoliciesOptions) => {
      const parts = installed(await withPlugIns(options.plugin, io.cwd), names)
      const width = io.stdout.columns ?? PROSE
      if (options.json === true) io.stdout.write(json(parts))
      else io.stdout.write(names.length > 0 ? installedText(parts, width) : `${installedList(parts, width)}\nOptions of one: sched policies NAME\n`)
    })
}
