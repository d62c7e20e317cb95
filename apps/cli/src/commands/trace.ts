import type { Command } from 'commander'
import type { Io } from '../io.js'
export function addTrace(_program: Command, _io: Io): void {}
