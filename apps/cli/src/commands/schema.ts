import type { Command } from 'commander'
import type { Io } from '../io.js'
export function addSchema(_program: Command, _io: Io): void {}
