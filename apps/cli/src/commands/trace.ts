import type { Command } from 'commander'
import type { Io } from '../io.js'
import { addConvert } from './trace-convert.js'
import { addDescribe } from './trace-describe.js'
import { addFormats } from './trace-formats.js'
import { addGenerate } from './trace-generate.js'

export function addTrace(program: Command, io: Io): void {
  const command = program.command('trace').summary('describe, convert and generate traces').description('Describes, converts and generates traces, and lists their formats.')
  for (const add of [addDescribe, addConvert, addGenerate, addFormats]) add(command, io)
}
