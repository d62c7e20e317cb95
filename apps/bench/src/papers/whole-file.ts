import { SchedError } from '@sched/core'
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/** Writes a file that is complete or absent, with the folders above it. Throws `IO`. */
export function writeWhole(path: string, text: string): void {
  const file = resolve(path)
  try {
    mkdirSync(dirname(file), { recursive: true })
    replace(file, text)
  } catch (error) {
    throw new SchedError('IO', (error as Error).message, { file: path }, 'Name a file that can be written.')
  }
}

function replace(file: string, text: string): void {
  const part = `${file}.part`
  try {
    writeFileSync(part, text)
    renameSync(part, file)
  } catch (error) {
    rmSync(part, { force: true })
    throw error
  }
}
