import type { Command } from 'commander'
import type { Io } from '../io.js'
export function addRun(_program: Command, _io: Io): void {}
