import { SchedError } from '@sched/core'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { elsewhere, exists, freeName, writing } from './output-file.js'

/** The file by which a directory is known as a result of ours, and may be replaced by force. */
const MARK = 'summary.json'

/**
 * A directory that is complete or absent: it is filled beside its place and renamed at the end. An existing one is
 * replaced only by force, and only when it is a result or empty; what may not be replaced may have come meanwhile, from
 * another run: then it gets another name, and `TAKEN_NAME` says which. Throws `IO`.
 */
export class OutputDirectory {
  /** Where to put files until `complete`. */
  readonly place: string
  readonly #path: string
  readonly #target: string
  readonly #force: boolean
  /** Tries again where another thread was still writing. */
  readonly #remove = (): void => rmSync(this.place, { recursive: true, force: true, maxRetries: 3 })

  constructor(path: string, cwd: string, force: boolean) {
    this.#path = path
    this.#force = force
    this.#target = resolve(cwd, path)
    this.place = beside(this.#target, 'part')
    writing(path, () => {
      mayReplace(this.#target, path, force)
      rmSync(this.place, { recursive: true, force: true })
      mkdirSync(this.place)
    })
    process.on('exit', this.#remove) // a second Ctrl-C ends the program where it is
  }

  complete(): void {
    writing(this.#path, () => {
      if (!mayStillReplace(this.#target, this.#path, this.#force)) {
        const other = freeName(this.#target)
        renameSync(this.place, other)
        throw elsewhere(this.#path, other)
      }
      const old = beside(this.#target, 'old')
      const replaces = existsSync(this.#target)
      if (replaces) renameSync(this.#target, old)
      renameSync(this.place, this.#target)
      rmSync(old, { recursive: true, force: true })
    })
  }

  /** Leaves nothing behind; of no effect once complete. */
  discard(): void {
    process.off('exit', this.#remove)
    this.#remove()
  }
}

const beside = (target: string, suffix: string) => join(dirname(target), `.${basename(target)}.${process.pid}.${suffix}`)

function mayReplace(target: string, path: string, force: boolean): void {
  const facts = statSync(target, { throwIfNoEntry: false })
  if (facts === undefined) return
  if (!facts.isDirectory()) throw new SchedError('BAD_OPTION', 'is not a directory.', { file: path }, 'Choose another name.')
  const entries = readdirSync(target)
  if (entries.length === 0) return
  if (!force) throw exists(path)
  if (!entries.includes(MARK))
    throw new SchedError(
      'BAD_OPTION',
      `holds files but no ${MARK}, so it is not a result that --force may replace.`,
      { file: path },
      'Choose another name.',
    )
}

function mayStillReplace(...what: Parameters<typeof mayReplace>): boolean {
  try {
    mayReplace(...what)
    return true
  } catch (error) {
    if (error instanceof SchedError) return false
    throw error
  }
}
