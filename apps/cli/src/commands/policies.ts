import { json } from '@sched/report'
import type { Command } from 'commander'
import { addPlugIns } from '../experiment/plug-ins.js'
import type { Io } from '../io.js'
import { installed, installedText } from '../output/installed.js'
import { builtIns } from '../registry.js'

interface PoliciesOptions {
  readonly json?: boolean
  readonly plugin?: readonly string[]
}

export function addPolicies(program: Command, io: Io): void {
  program
    .command('policies')
    .summary('list what is installed, with options')
    .description('Lists policies, orders, placements and architectures with their options, defaults and sources.')
    .argument('[name...]', 'only these')
    .option('--plugin <module>', 'a plug-in to list, too; may be repeated', (module: string, others: readonly string[] = []) => [...others, module])
    .option('--json', 'print JSON, options as JSON Schema')
    .action(async (names: readonly string[], options: PoliciesOptions) => {
      const registry = builtIns()
      for (const plugIn of options.plugin ?? []) await addPlugIns(registry, plugIn, io.cwd)
      const parts = installed(registry, names)
      io.stdout.write(options.json === true ? json(parts) : installedText(parts))
    })
}
