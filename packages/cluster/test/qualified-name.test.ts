import { describe, expect, it } from 'vitest'
import { isLabelValue, isQualifiedName } from '../src/index.js'

// as TestIsQualifiedName and TestIsValidLabelValue of Kubernetes
describe('names of labels', () => {
  it.each([
    'simple', 'now-with-dashes', '1-starts-with-num', '1234', 'simple/simple', 'now.with.dots/simple', 'now-with.dashes-and.dots/now-with-dashes', '1-num.2-num/3-num', '1.2.3.4/5678', 'Uppercase_Is_OK_123',
    'example.com/Uppercase_Is_OK_123', 'requests.storage-foo', 'a'.repeat(63), `${'a'.repeat(253)}/${'b'.repeat(63)}`,
  ])('may be %s', (name) => {
    expect(isQualifiedName(name)).toBe(true)
  })

  it.each(['', 'nospecialchars%^=@', 'cantendwithadash-', '-cantstartwithadash-', 'only/one/slash', 'Example.com/abc', 'example_com/abc', 'example.com/', '/simple', 'a'.repeat(64), `${'a'.repeat(254)}/abc`])('are not %j', (name) => {
    expect(isQualifiedName(name)).toBe(false)
  })

  it('have values of the same letters, or empty ones', () => {
    expect(['', 'simple', '1234', 'Uppercase_Is_OK_123', 'a'.repeat(63)].filter((each) => !isLabelValue(each))).toEqual([])
    expect(['nospecialchars%^=@', 'cantendwithadash-', 'only/one', 'a'.repeat(64)].filter(isLabelValue)).toEqual([])
  })
})
