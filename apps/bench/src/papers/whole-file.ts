import { SchedError } from '@sched/core'
import { mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/** Makes the folders above a file that is to be written, so that hours of work do not end at its name. Throws `IO`. */
export function prepareWhole(path: string): void {
  naming(path, (file) => {
    mkdirSync(dirname(file), { recursive: true })
    if (statSync(file, { throwIfNoEntry: false })?.isDirectory() === true) throw new Error('is a directory')
  })
}

/** Writes a file that is complete or absent, with the folders above it. Throws `IO`. */
export function writeWhole(path: string, text: string): void {
  prepareWhole(path)
  naming(path, (file) => replace(file, text))
}

function naming(path: string, run: (file: string) => void): void {
  try {
    run(resolve(path))
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
