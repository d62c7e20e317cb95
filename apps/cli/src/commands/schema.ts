import { json } from '@sched/report'
import { Argument, type Command } from 'commander'
import type { Io } from '../io.js'
import { builtIns } from '../registry.js'
import { jsonSchemas } from '../schema/json-schema.js'

export function addSchema(program: Command, io: Io): void {
  const schemas = jsonSchemas(builtIns())
  program
    .command('schema')
    .summary('print the JSON Schema of a file, for editors')
    .description('Prints the JSON Schema of experiment files, cluster files, mappings of the columns of a table of machines, or native workload lines, for editors.')
    .addArgument(new Argument('[of]', 'whose').choices(Object.keys(schemas)).default('experiment'))
    .action((of: string) => void io.stdout.write(json(schemas[of]?.())))
}
