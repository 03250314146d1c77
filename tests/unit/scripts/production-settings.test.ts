// The settings that a deployment uploads, generates, asks for, and refuses before any change, and the features that it switches off.
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  appendSettings,
  ask,
  featuresOff,
  generateSecrets,
  type Known,
  missingReason,
  readGiven,
  uploadedVars,
  validateSettings,
} from '../../../scripts/deploy/production-settings.ts'
import type { Settings } from '../../../scripts/lib/settings.ts'
import { withoutDisabledFeature } from '../../../scripts/lib/wrangler-config.ts'
import { features } from '../../../worker/setting-definitions.ts'

let dir: string
let file: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'parley-prod-'))
  file = join(dir, '.prod.vars')
})
afterEach(() => rmSync(dir, { recursive: true }))

const production = { ENVIRONMENT: 'production' }
const knownWith = (given: Settings, { vars = production, stored = [] }: { vars?: Settings; stored?: readonly string[] } = {}): Known => ({
  vars,
  given,
  stored: new Set(stored),
})
const ours = { PUBLIC_URL: 'https://a.example', BETTER_AUTH_SECRET: 'x'.repeat(40), CRON_SECRET: 'y'.repeat(40) }
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
    ['CLIENT_ADDRESS_HEADER=x-real-ip', '.prod.vars names CLIENT_ADDRESS_HEADER, which is not a setting of the Worker'],
    ['MAIL_FROM=', '.prod.vars has MAIL_FROM without a value; add the value or delete the line'],
    ['DISABLED_FEATURES=files', 'DISABLED_FEATURES belongs into the vars of wrangler.jsonc, not into .prod.vars'],
  ])('%s is refused', (line, sentence) => {
    writeFileSync(file, line)
    expect(() => readGiven(file)).toThrow(sentence)
  })
})

describe('a new deployment', () => {
  test('needs its address and the secrets of our own, and switches every feature off that needs settings', () => {
    expect(names(validateSettings(knownWith({})).missing)).toEqual(['PUBLIC_URL', 'BETTER_AUTH_SECRET'])
    expect(validateSettings(knownWith(ours))).toEqual({ wrong: [], missing: [] })
    expect(featuresOff(knownWith(ours))).toEqual(features.filter((feature) => !['cron', 'files'].includes(feature)))
    expect(uploadedVars(knownWith(ours))).toEqual({ ...production, DISABLED_FEATURES: 'gateway,search,billing,mail,google,github,redis' })
  })

  test('generates its secrets, long enough and always different', () => {
    const [made, again] = [generateSecrets(knownWith({})), generateSecrets(knownWith({}))]
    expect(Object.keys(made)).toEqual(['BETTER_AUTH_SECRET', 'CRON_SECRET'])
    expect(validateSettings(knownWith(made)).wrong).toEqual([])
    expect(made.BETTER_AUTH_SECRET).not.toBe(again.BETTER_AUTH_SECRET)
    expect(generateSecrets(knownWith({}, { stored: ['BETTER_AUTH_SECRET', 'CRON_SECRET'] }))).toEqual({})
    expect(Object.keys(generateSecrets(knownWith({}, { vars: { DISABLED_FEATURES: 'cron' } })))).toEqual(['BETTER_AUTH_SECRET'])
  })
})

describe('a feature', () => {
  test.each<[string, Known]>([
    ['given settings', knownWith({ ...ours, SEARCH_API_KEY: 'k' })],
    ['stored settings', knownWith(ours, { stored: ['SEARCH_API_KEY'] })],
  ])('is on with %s', (_name, known) => {
    expect(featuresOff(known)).not.toContain('search')
  })

  test('is an error with some of its settings', () => {
    const { missing } = validateSettings(knownWith({ ...ours, STRIPE_SECRET_KEY: 'k' }, { stored: ['PRO_MONTHLY_PRICE_ID'] }))
    expect(missing.map(missingReason)).toEqual([
      'STRIPE_WEBHOOK_SECRET is not set, but another setting of its feature is (npm run deploy -- enable payments asks for all)',
    ])
  })

  test('mail is on with a sender instead of the key of Resend, also if it is already stored', () => {
    const missingWith = (given: Settings, stored: readonly string[] = []) =>
      names(validateSettings(knownWith({ ...ours, ...given }, { stored })).missing)
    expect(missingWith({ MAIL_API_URL: 'https://mail.test' })).toEqual(['RESEND_API_KEY'])
    expect(missingWith({ MAIL_FROM: 'no-reply@chat.test' })).toEqual([])
    expect(missingWith({}, ['MAIL_FROM'])).toEqual([])
    expect(featuresOff(knownWith({ ...ours, MAIL_FROM: 'no-reply@chat.test' }))).not.toContain('mail')
  })

  test('Redis is never missing, and half of it is refused', () => {
    expect(validateSettings(knownWith({ ...ours, REDIS_URL: 'https://redis.test' })).wrong).toEqual([
      'REDIS_TOKEN is not set, but REDIS_URL is',
    ])
    expect(validateSettings(knownWith({ ...ours, REDIS_TOKEN: 'token' }, { stored: ['REDIS_URL'] })).wrong).toEqual([])
  })

  test('which another setting needs stops the deployment while it is off', () => {
    const alerts = { ...ours, OPERATOR_EMAIL: 'operator@chat.test' }
    expect(validateSettings(knownWith(alerts)).wrong).toEqual(['OPERATOR_EMAIL is set, but it needs mail, which is off'])
    expect(validateSettings(knownWith(alerts, { stored: ['MAIL_FROM'] })).wrong).toEqual([])
    expect(validateSettings(knownWith({ ...ours, BACKUP_API_TOKEN: 'token' })).wrong).toEqual([
      'BACKUP_ACCOUNT_ID is not set, but BACKUP_API_TOKEN is',
    ])
  })

  test('stays off while wrangler.jsonc lists it', () => {
    const known = knownWith({ ...ours, STRIPE_SECRET_KEY: 'k' }, { vars: { ...production, DISABLED_FEATURES: 'files, billing' } })
    expect(featuresOff(known)).toEqual(expect.arrayContaining(['files', 'billing']))
    expect(validateSettings(known)).toEqual({ wrong: [], missing: [] })
  })

  test('can be removed from the list in wrangler.jsonc, and nothing else changes there', () => {
    const text = (list: string) => `{ // "DISABLED_FEATURES"\n "vars": { "DISABLED_FEATURES": "${list}" } }`
    expect(withoutDisabledFeature(text('files, billing'), 'billing')).toBe(text('files'))
    expect(withoutDisabledFeature(text('files, billing'), 'search')).toBe(text('files, billing'))
  })
})

test('values that the Worker would refuse are refused by name, without the value', () => {
  const given = { PUBLIC_URL: 'chat', BETTER_AUTH_SECRET: 'short', MUTATION_BURST: '-1' }
  const { wrong } = validateSettings(knownWith(given, { vars: { ...production, DISABLED_FEATURES: 'serach' } }))
  expect(wrong).toEqual([
    'Invalid base URL: PUBLIC_URL is not a valid http(s) URL without password, ? and #',
    'MUTATION_BURST is not a positive whole number',
    'DISABLED_FEATURES names serach, which is not a feature',
    'BETTER_AUTH_SECRET has fewer than 32 characters',
  ])
  expect(validateSettings(knownWith({ PUBLIC_URL: 'https://chat.test/parley' })).wrong).toEqual([
    expect.stringMatching(/^Invalid base URL: PUBLIC_URL has a path/),
  ])
})

describe('a user who is prompted', () => {
  const questions = [
    { name: 'GOOGLE_CLIENT_ID', line: 'Login with Google.', isSecret: false },
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
