import { describe, expect, it } from 'vitest'
import { sched, small } from './sched.js'

describe('threads', () => {
  it('give the same bytes, however many', async () => {
    const [one, two] = await Promise.all(['1', '2'].map((threads) => sched(['compare', 'small.yaml', '--threads', threads, '--json', '-'], { cwd: small() })))
    expect(two).toEqual(one)
  })
})
