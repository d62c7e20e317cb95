import type { Command } from 'commander'
import type { Io } from '../io.js'
import { addConvert } from './trace-convert.js'
import { addDescribe } from './trace-describe.js'
import { addGenerate } from './trace-generate.js'

export function addTrace(program: Command, io: Io): void {
  const command = program.command('trace').summary('describe, convert and generate traces').description('Describes, converts and generates traces.')
  for (const add of [addDescribe, addConvert, addGenerate]) add(command, io)
}
