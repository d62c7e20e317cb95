import { SchedError } from '@sched/core'

const facts: Readonly<Record<string, readonly [fact: string, wayOut: string]>> = {
  ENOENT: ['there is no such file.', 'Check the path.'],
  ENOTDIR: ['a part of the path is not a directory.', 'Check the path.'],
  EISDIR: ['is a directory.', 'Give the path of a file in it.'],
  EEXIST: ['it exists already.', 'Choose another name.'],
  EACCES: ['no permission.', 'Change the permissions of the file or choose another one.'],
  EPERM: ['not permitted.', 'Change the permissions of the file or choose another one.'],
  EROFS: ['the file system is read-only.', 'Choose another place.'],
  ENOSPC: ['the disk is full.', 'Make room or choose another place.'],
  EDQUOT: ['the disk quota is used up.', 'Make room or choose another place.'],
  EFBIG: ['it is larger than a file may be here.', 'Raise the limit (ulimit -f), or choose another place.'],
  ENAMETOOLONG: ['the name is too long.', 'Choose a shorter one.'],
  ELOOP: ['links lead to each other.', 'Check where the link leads.'],
  EMFILE: ['too many open files.', 'Raise the limit of open files.'],
  ERR_BUFFER_TOO_LARGE: ['its content is too large to be held in memory.', 'Read it with stream: true.'],
  ERR_FS_FILE_TOO_LARGE: ['it is too large to be held in memory.', 'Read it with stream: true.'],
  Z_BUF_ERROR: ['the gzip data is cut short.', 'Copy the file again.'],
  Z_DATA_ERROR: ['the gzip data is damaged.', 'Copy the file again.'],
}

/** An error of the operating system or of gzip as a `SchedError` with code `IO` that names the file; any other error is returned as it is. */
export function ioError(path: string, doing: 'read' | 'write', error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : undefined
  if (error instanceof SchedError || code === undefined) return error
  const [fact, wayOut] = (doing === 'write' && code === 'ENOENT'
    ? ['there is no such directory.', 'Make it, or check the path.']
    : facts[code]) ?? [`${error instanceof Error ? error.message : code}.`, '']
  const isContent = doing === 'read' && (code === 'ENOENT' || code === 'ENAMETOOLONG' || code === 'ENOTDIR') && looksLikeContent(path)
  return new SchedError('IO', `cannot ${doing}: ${fact}`, { file: path }, isContent ? 'It looks like what a file holds: write it into one, and give its path.' : wayOut)
}

/** JSON, YAML in brackets or XML, where a path should be; the directory may stand before it. */
const looksLikeContent = (path: string): boolean => /(^|[\\/])\s*[[{<]|\n/.test(path)
