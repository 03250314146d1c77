// The secrets that a deployment uploads, generates, asks for, and refuses before any change.
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { appendSettings, ask, generateSecrets, readGiven, validateSettings } from '../../../scripts/deploy/production-settings.ts'
import type { Settings } from '../../../scripts/lib/settings.ts'

let dir: string
let file: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'parley-prod-'))
  file = join(dir, '.prod.vars')
})
afterEach(() => rmSync(dir, { recursive: true }))

const production = { ENVIRONMENT: 'production' }
const noneSet = new Set<string>()
const names = (missing: readonly { name: string }[]) => missing.map(({ name }) => name)

describe('.prod.vars', () => {
  test.each(['plain', 'with spaces', 'a#b', 'it"s', "it's", ' padded ', 'a=b', '$HOME', '\\n'])('stores %j', (value) => {
    appendSettings(file, { MAIL_FROM: value })
    expect(readGiven(file)).toEqual({ MAIL_FROM: value })
  })

  test('is readable by its owner only, and grows by whole lines', () => {
    writeFileSync(file, 'MAIL_FROM=a', { mode: 0o644 })
    appendSettings(file, { RESEND_API_KEY: 'b' })
    expect(readFileSync(file, 'utf8')).toBe('MAIL_FROM=a\nRESEND_API_KEY=b\n')
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  test.each([
    ['MAIL_FORM=a', '.prod.vars names MAIL_FORM, which is not a setting of the Worker'],
    ['VITE_PUBLIC_API_URL=https://a.example', '.prod.vars names VITE_PUBLIC_API_URL, which is not a setting of the Worker'],
    ['MAIL_FROM=', '.prod.vars has MAIL_FROM without a value; add the value or delete the line'],
    ['DISABLED_FEATURES=files', 'DISABLED_FEATURES belongs into the vars of wrangler.jsonc, not into .prod.vars'],
  ])('%s is refused', (line, sentence) => {
    writeFileSync(file, line)
    expect(() => readGiven(file)).toThrow(sentence)
  })
})

describe('the missing settings', () => {
  test('are the required ones without those given, already set in the Worker, or of disabled features', () => {
    const all = names(validateSettings(production, {}, noneSet).missing)
    expect(all).toEqual(expect.arrayContaining(['PUBLIC_URL', 'BETTER_AUTH_SECRET', 'STRIPE_SECRET_KEY', 'RESEND_API_KEY']))
    const vars = { ...production, DISABLED_FEATURES: 'billing, mail' }
    const fewer = names(validateSettings(vars, { PUBLIC_URL: 'https://a.example' }, new Set(['SEARCH_API_KEY'])).missing)
    const absent = ['PUBLIC_URL', 'SEARCH_API_KEY', 'STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET', 'PRO_MONTHLY_PRICE_ID', 'RESEND_API_KEY']
    expect(fewer).toEqual(all.filter((name) => !absent.includes(name)))
  })

  test('a sender replaces the key of Resend, also if it is already set in the Worker', () => {
    const missingWith = (given: Settings, known = noneSet) => names(validateSettings(production, given, known).missing)
    expect(missingWith({})).toContain('RESEND_API_KEY')
    expect(missingWith({ MAIL_FROM: 'no-reply@chat.test' })).not.toContain('RESEND_API_KEY')
    expect(missingWith({}, new Set(['MAIL_FROM']))).not.toContain('RESEND_API_KEY')
  })

  test('Redis is never missing, and half of it is refused', () => {
    expect(names(validateSettings(production, {}, noneSet).missing)).not.toContain('REDIS_URL')
    expect(validateSettings(production, { REDIS_URL: 'https://redis.test' }, noneSet).wrong).toEqual([
      'REDIS_TOKEN is not set, but REDIS_URL is',
    ])
    expect(validateSettings(production, { REDIS_TOKEN: 'token' }, new Set(['REDIS_URL'])).wrong).toEqual([])
  })

  test('are generated where no user needs to know them, long enough and always different', () => {
    const { missing } = validateSettings(production, {}, noneSet)
    const [made, again] = [generateSecrets(missing), generateSecrets(missing)]
    expect(Object.keys(made)).toEqual(['BETTER_AUTH_SECRET', 'CRON_SECRET'])
    expect(validateSettings(production, made, noneSet).wrong).toEqual([])
    expect(made.BETTER_AUTH_SECRET).not.toBe(again.BETTER_AUTH_SECRET)
    expect(generateSecrets(validateSettings(production, {}, new Set(['BETTER_AUTH_SECRET', 'CRON_SECRET'])).missing)).toEqual({})
  })
})

test('values that the Worker would refuse are refused by name, without the value', () => {
  const { wrong } = validateSettings(production, { PUBLIC_URL: 'chat', BETTER_AUTH_SECRET: 'short', MUTATION_BURST: '-1' }, noneSet)
  expect(wrong).toEqual([
    'Invalid base URL: PUBLIC_URL is not a valid http(s) URL without password, ? and #',
    'MUTATION_BURST is not a positive whole number',
    'BETTER_AUTH_SECRET has fewer than 32 characters',
  ])
  expect(validateSettings(production, { PUBLIC_URL: 'https://chat.test/parley' }, noneSet).wrong).toEqual([
    expect.stringMatching(/^Invalid base URL: PUBLIC_URL has a path/),
  ])
})

describe('a user who is prompted', () => {
  const questions = [
    { name: 'GOOGLE_CLIENT_ID', line: 'Sign-in with Google.', isSecret: false },
    { name: 'SEARCH_API_KEY', line: 'Web search.', isSecret: false },
    { name: 'GOOGLE_CLIENT_SECRET', line: 'The secret.', isSecret: true },
  ]

  function terminal() {
    const [input, output] = [new PassThrough(), new PassThrough()]
    let shown = ''
    output.on('data', (chunk: Buffer) => {
      shown += chunk.toString('utf8')
    })
    const kept: Settings[] = []
    const until = async (text: string) => expect.poll(() => shown).toContain(text)
    return { input, output, kept, until, shown: () => shown, keep: (answer: Settings) => void kept.push(answer) }
  }

  test('answers line by line, can skip one, and sees no secret', async () => {
    const { input, output, kept, keep, until, shown } = terminal()
    const asked = ask(questions, keep, { input, output })
    await until('GOOGLE_CLIENT_ID: ')
    input.write('the id\r')
    await until('SEARCH_API_KEY: ')
    input.write('\r')
    await until('GOOGLE_CLIENT_SECRET: ')
    input.write('the-secret\r')
    await asked
    expect(kept).toEqual([{ GOOGLE_CLIENT_ID: 'the id' }, { GOOGLE_CLIENT_SECRET: 'the-secret' }])
    expect(shown()).toContain('the id')
    expect(shown()).not.toContain('the-secret')
  })

  test('can abort, and given answers are stored', async () => {
    const { input, output, kept, keep, until } = terminal()
    const asked = ask(questions, keep, { input, output })
    await until('GOOGLE_CLIENT_ID: ')
    input.write('the id\r')
    await until('SEARCH_API_KEY: ')
    input.write('\x03')
    await expect(asked).rejects.toThrow('interrupted')
    expect(kept).toEqual([{ GOOGLE_CLIENT_ID: 'the id' }])
  })
})
