import { SchedError } from '@sched/core'
import { ioError } from '@sched/workload/node'
import { existsSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { Io } from '../io.js'

/** Where text goes: a path, or `-` for standard output. */
export interface OutputFile {
  write(text: string | Uint8Array): void
}

/**
 * A file to be written at the end of a command, checked now so that hours of work do not end at its name. The file is
 * complete or absent: it is written beside its place and renamed. Throws `IO`; an existing file is replaced only by force.
 */
export function outputFile(path: string, io: Io, force: boolean): OutputFile {
  if (path === '-') return { write: (text) => void io.stdout.write(text) }
  const named = resolve(io.cwd, path)
  const device = isDevice(named, path, force)
  const target = !device && existsSync(named) ? realpathSync(named) : named // what a link points to is replaced, not the link; a pipe behind /dev/stdout has no path
  return {
    write(text) {
      const part = device ? target : join(dirname(target), `.${basename(target)}.${process.pid}.part`)
      writing(path, () => {
        try {
          writeFileSync(part, text)
          if (!device) renameSync(part, target)
        } catch (error) {
          if (device && (error as NodeJS.ErrnoException).code === 'EPIPE') return // its reader has had enough
          if (!device) rmSync(part, { force: true })
          throw error
        }
      })
    },
  }
}

/** Whether it is a pipe or a device, which is written to as it is. Throws for a directory and for a file not to be replaced. */
function isDevice(target: string, path: string, force: boolean): boolean {
  return writing(path, () => {
    const facts = statSync(target, { throwIfNoEntry: false, bigint: true }) // in whole numbers of 64 bits: see `isFile` of standard output
    if (facts === undefined) {
      if (!statSync(dirname(target)).isDirectory()) throw Object.assign(new Error('not a directory'), { code: 'ENOTDIR' })
      return false
    }
    if (facts.isDirectory()) throw Object.assign(new Error('is a directory'), { code: 'EISDIR' })
    if (facts.isFile() && !force) throw exists(path)
    return !facts.isFile()
  })
}

export const exists = (path: string) => new SchedError('BAD_OPTION', 'exists already.', { file: path }, 'Choose another name, or replace it with --force.')

/** Runs something that writes; errors of the system become `IO`. */
export function writing<T>(path: string, run: () => T): T {
  try {
    return run()
  } catch (error) {
    throw ioError(path, 'write', error)
  }
}
