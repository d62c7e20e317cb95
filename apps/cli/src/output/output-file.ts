import { SchedError } from '@sched/core'
import { ioError } from '@sched/workload/node'
import { existsSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, extname, join, resolve } from 'node:path'
import type { Io } from '../io.js'

/** Where text goes: a path, or `-` for standard output. */
export interface OutputFile {
  write(text: string | Uint8Array): void
}

/**
 * A file to be written at the end of a command, checked now so that hours of work do not end at its name. The file is
 * complete or absent: it is written beside its place and renamed. Throws `IO`; an existing file is replaced only by force:
 * where one has come meanwhile, from another run, it gets another name, and `TAKEN_NAME` says which.
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
          if (device) return
          const place = !force && existsSync(target) ? freeName(target) : target
          renameSync(part, place)
          if (place !== target) throw elsewhere(path, place)
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

/** What was not there when the command began is; nothing of either is lost. */
export const elsewhere = (path: string, other: string) =>
  new SchedError(
    'TAKEN_NAME',
    'was written by something else while this ran.',
    { file: path },
    `This is in "${join(dirname(path), basename(other))}"; give runs at the same time names of their own.`,
  )

/** The first of `name-2.csv`, `name-3.csv`, ... that is not there. */
export function freeName(path: string): string {
  const ending = extname(path)
  const named = (i: number) => `${path.slice(0, path.length - ending.length)}-${i}${ending}`
  let i = 2
  while (existsSync(named(i))) i++
  return named(i)
}

/** Runs something that writes; errors of the system become `IO`. */
export function writing<T>(path: string, run: () => T): T {
  try {
    return run()
  } catch (error) {
    throw ioError(path, 'write', error)
  }
}
