// Settings: required in production, features that can be disabled, and development defaults.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { describe, expect, test } from 'vitest'
import { rootDir } from '../../scripts/lib/paths.ts'
import type { Env } from '../../worker/bindings.ts'
import { standIns, withStandIns } from '../../worker/dev/stand-ins.ts'
import { features, type SettingDefinition, settingDefinitions, version } from '../../worker/setting-definitions.ts'
import { readSettings } from '../../worker/settings.ts'

// Only the presence of a binding matters here.
const bindings = { DB: {}, FILES: {}, ASSETS: {}, USER_SYNC: {}, GENERATION: {} }
const read = (variables: { [name: string]: string | undefined }) => readSettings({ ...bindings, ...variables } as unknown as Env)

const required = Object.entries<SettingDefinition>(settingDefinitions).filter(([, definition]) => definition.isRequired)

const complete: { [name: string]: string } = {
  ENVIRONMENT: 'production',
  ...Object.fromEntries(
    required.map(([name, definition]) => [name, definition.form === 'url' ? 'https://example.test' : 'a value of some length, for tests']),
  ),
}

const problemsOf = (variables: { [name: string]: string | undefined }) => {
  const result = read(variables)
  return result.ok ? [] : result.problems
}

describe('production', () => {
  test('requires the settings of every feature, and those for signing and mail links', () => {
    expect(required.map(([name]) => name).sort()).toEqual(
      [
        ...['AI_GATEWAY_API_KEY', 'SEARCH_API_KEY', 'STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET', 'PRO_MONTHLY_PRICE_ID', 'CRON_SECRET'],
        ...['GOOGLE_CLIENT_ID', 'GOOGLE_CLIENT_SECRET', 'GITHUB_CLIENT_ID', 'GITHUB_CLIENT_SECRET', 'RESEND_API_KEY'],
        ...['BETTER_AUTH_SECRET', 'PUBLIC_URL'],
      ].sort(),
    )
    expect(read(complete).ok).toBe(true)
  })

  test('is the default environment of a Worker', () => {
    const result = read({})
    expect(result).toMatchObject({ ok: false, environment: 'production' })
    if (result.ok) return
    expect(result.problems.map(({ name }) => name).sort()).toEqual(required.map(([name]) => name).sort())
  })

  test.each(required.map(([name]) => name))('names %s when it is missing or empty', (name) => {
    for (const value of [undefined, '', '   ']) expect(problemsOf({ ...complete, [name]: value })).toEqual([{ name, reason: 'is not set' }])
  })

  test.each(required.map(([name, definition]) => [name, definition.feature] as const).filter(([, feature]) => feature !== 'core'))(
    'does not require %s when the feature %s is disabled',
    (name, feature) => {
      expect(problemsOf({ ...complete, [name]: undefined, DISABLED_FEATURES: ` ${feature} , redis` })).toEqual([])
    },
  )

  test.each([
    ['TURNSTILE_SITE_KEY', 'TURNSTILE_SECRET_KEY'],
    ['TURNSTILE_SECRET_KEY', 'TURNSTILE_SITE_KEY'],
    ['REDIS_URL', 'REDIS_TOKEN'],
    ['REDIS_TOKEN', 'REDIS_URL'],
    ['BACKUP_API_TOKEN', 'BACKUP_ACCOUNT_ID'],
    ['BACKUP_ACCOUNT_ID', 'BACKUP_API_TOKEN'],
  ])('requires both settings of Turnstile, of Redis and of backups, or none: with %s alone', (set, missing) => {
    const value = 'https://a.test'
    expect(problemsOf({ ...complete, [set]: value })).toEqual([{ name: missing, reason: `is not set, but ${set} is` }])
    expect(problemsOf({ ...complete, [set]: value, [missing]: value })).toEqual([])
  })

  test.each([
    ['OPERATOR_EMAIL', 'mail', { OPERATOR_EMAIL: 'operator@chat.test' }],
    ['BACKUP_API_TOKEN', 'files', { BACKUP_API_TOKEN: 'token', BACKUP_ACCOUNT_ID: 'account' }],
  ])('refuses %s while %s is off, because it would do nothing', (name, feature, set) => {
    expect(problemsOf({ ...complete, ...set })).toEqual([])
    expect(problemsOf({ ...complete, ...set, DISABLED_FEATURES: feature })).toEqual([
      { name, reason: `is set, but it needs ${feature}, which is off` },
    ])
  })

  test('Redis is off until it is set, and then counts unless it is disabled', () => {
    const redisIn = (variables: { [name: string]: string }) => {
      const result = read({ ...complete, ...variables })
      return result.ok && result.settings.redis
    }
    const set = { REDIS_URL: 'https://redis.test', REDIS_TOKEN: 'token' }
    expect([redisIn({}), redisIn(set), redisIn({ ...set, DISABLED_FEATURES: 'redis' })]).toEqual([
      null,
      { url: 'https://redis.test', token: 'token' },
      null,
    ])
  })

  test('mail needs a key of Resend, or the binding of Email Service and a sender', () => {
    const EMAIL = { send: () => undefined }
    const readBound = (variables: { [name: string]: unknown }) => readSettings({ ...bindings, ...complete, ...variables } as unknown as Env)
    const sender = { RESEND_API_KEY: '', MAIL_FROM: 'Parley <no-reply@chat.test>' }
    const bound = readBound({ ...sender, EMAIL })
    expect(bound.ok && bound.settings.mail).toEqual({ via: 'cloudflare', binding: EMAIL, from: sender.MAIL_FROM })
    for (const variables of [sender, { ...sender, EMAIL, MAIL_FROM: '' }])
      expect(readBound(variables)).toMatchObject({ ok: false, problems: [{ name: 'RESEND_API_KEY', reason: 'is not set' }] })
    const both = readBound({ ...sender, EMAIL, RESEND_API_KEY: 'key' })
    expect(both.ok && both.settings.mail).toMatchObject({ via: 'resend', apiKey: 'key', from: sender.MAIL_FROM })
    const off = readBound({ ...sender, EMAIL, DISABLED_FEATURES: 'mail' })
    expect(off.ok && off.settings.mail).toBeNull()
  })

  test('lists the legal pages that are set, and accepts only https', () => {
    const legalOf = (variables: { [name: string]: string }) => {
      const result = read({ ...complete, ...variables })
      return result.ok ? result.settings.legal : result.problems
    }
    expect(legalOf({ TERMS_URL: '', PRIVACY_URL: 'https://parley.test/legal?page=privacy#top' })).toEqual([
      { name: 'privacy', url: 'https://parley.test/legal?page=privacy#top' },
    ])
    expect(legalOf({})).toEqual([])
    for (const url of ['http://parley.test', 'javascript:alert(1)', '/terms', 'https://ada:secret@parley.test'])
      expect(legalOf({ TERMS_URL: url })).toEqual([{ name: 'TERMS_URL', reason: 'is not a valid https URL' }])
  })

  test('a disabled feature is off regardless of its settings', () => {
    const result = read({ ...complete, DISABLED_FEATURES: features.join(',') })
    if (!result.ok) throw new Error('all off')
    const { gateway, search, stripe, mail, google, github, redis, cronSecret } = result.settings
    expect({ gateway, search, stripe, mail, google, github, redis, cronSecret }).toEqual({
      ...{ gateway: null, search: null, stripe: null, mail: null, google: null, github: null, redis: null, cronSecret: null },
    })
  })

  test.each(['BETTER_AUTH_SECRET', 'CRON_SECRET'])('requires at least 32 characters of %s', (name) => {
    expect(problemsOf({ ...complete, [name]: 'x'.repeat(31) })).toEqual([{ name, reason: 'has fewer than 32 characters' }])
    expect(problemsOf({ ...complete, [name]: 'x'.repeat(32) })).toEqual([])
  })

  test('ignores the length of CRON_SECRET when cron is disabled', () => {
    expect(problemsOf({ ...complete, CRON_SECRET: 'short', DISABLED_FEATURES: 'cron' })).toEqual([])
  })

  test('never repeats a value', () => {
    const problems = problemsOf({
      ...complete,
      PUBLIC_URL: 'secret-in-the-wrong-place',
      BETTER_AUTH_SECRET: 'hunter2',
      DISABLED_FEATURES: 'hunter3',
    })
    expect(problems).toHaveLength(3)
    expect(JSON.stringify(problems)).not.toMatch(/secret-in|hunter/)
  })
})

describe('development', () => {
  test('runs without settings', () => {
    const result = read({ ENVIRONMENT: 'development' })
    expect(result).toMatchObject({
      ok: true,
      settings: { environment: 'development', publicUrl: null, gateway: null, mail: null, redis: null },
    })
  })

  test('uses the stand-ins of the entry, which production ignores', () => {
    const read = (variables: { [name: string]: string | undefined }) =>
      readSettings(withStandIns({ ...bindings, ...variables } as unknown as Env))
    const [development, production] = [read({ ENVIRONMENT: 'development' }), read(complete)]
    expect([development, production]).toMatchObject([{ settings: { standIns } }, { settings: { standIns: null } }])
  })

  test('warns that its secret is public', () => {
    const result = read({ ENVIRONMENT: 'development' })
    expect(result.ok && result.settings.authSecret).toMatch(/^development-only/)
  })

  test('uses given settings', () => {
    const result = read({
      ENVIRONMENT: 'development',
      OLLAMA_URL: 'http://127.0.0.1:11434/v1/',
      RESEND_API_KEY: 'key',
      PUBLIC_URL: 'https://chat.test/',
    })
    expect(result).toMatchObject({
      ok: true,
      settings: {
        ollama: { url: 'http://127.0.0.1:11434/v1' },
        publicUrl: 'https://chat.test',
        mail: { via: 'resend', apiKey: 'key', url: 'https://api.resend.com', from: 'Parley <no-reply@chat.test>' },
      },
    })
  })

  test.each(['REDIS_URL', 'PUBLIC_URL', 'AI_GATEWAY_URL', 'OLLAMA_URL', 'STRIPE_API_URL'])(
    'refuses %s if it is not an http(s) address',
    (name) => {
      const values = ['nonsense', 'ftp://example.test', 'redis://example.test:6379', '//example.test', 'https://', 'https://a b']
      for (const value of [...values, 'https://example.test?', 'https://example.test/v1#x', 'https://ada:secret@example.test'])
        expect(problemsOf({ ENVIRONMENT: 'development', [name]: value })).toEqual([
          {
            ...{ name, reason: 'is not a valid http(s) URL without password, ? and #' },
            ...(name === 'PUBLIC_URL' && { prefix: 'Invalid base URL: ' }),
          },
        ])
    },
  )
})

test('the public address is normalised like in browsers, and has no path', () => {
  const result = read({ ENVIRONMENT: 'development', PUBLIC_URL: 'HTTPS://Chat.Test:443//' })
  expect(result).toMatchObject({ ok: true, settings: { publicUrl: 'https://chat.test' } })
  expect(problemsOf({ ENVIRONMENT: 'development', PUBLIC_URL: 'https://chat.test/parley' })).toMatchObject([
    { name: 'PUBLIC_URL', prefix: 'Invalid base URL: ' },
  ])
})

test('variables that are not text are converted', () => {
  const given = (variables: { [name: string]: unknown }) => read(variables as { [name: string]: string })
  const development = { ENVIRONMENT: 'development' }
  expect(given({ ...development, DISABLED_FEATURES: ['redis', 'mail'], MUTATION_BURST: 7 })).toMatchObject({
    ok: true,
    settings: { disabledFeatures: new Set(['redis', 'mail']), mutationLimit: { burst: 7 } },
  })
  for (const value of [1, true, [], {}]) expect(given({ ...complete, ENVIRONMENT: value })).toMatchObject({ ok: Array.isArray(value) })
  for (const value of [{}, true]) expect(given({ ...development, DISABLED_FEATURES: value })).toMatchObject({ ok: false })
  expect(given({ ...development, OLLAMA_URL: {} })).toMatchObject({ ok: false, problems: [{ name: 'OLLAMA_URL' }] })
})

describe('the write rate limit of a user', () => {
  const limitOf = (variables: { [name: string]: string }) => {
    const result = read({ ENVIRONMENT: 'development', ...variables })
    return result.ok ? result.settings.mutationLimit : result.problems
  }

  test('equals the contract’s unless it is configured', () => {
    expect(limitOf({})).toEqual({ burst: 100, perSecond: 20 })
    expect(limitOf({ MUTATION_BURST: ' 7 ', MUTATIONS_PER_SECOND: '3' })).toEqual({ burst: 7, perSecond: 3 })
  })

  test.each(['0', '-1', '1.5', 'many', '1e3', '9999999999'])('cannot be %s', (value) => {
    expect(limitOf({ MUTATION_BURST: value })).toEqual([{ name: 'MUTATION_BURST', reason: 'is not a positive whole number' }])
  })
})

test.each([
  [
    'MAIL_FROM',
    ['Parley', 'Parley <no-reply>', 'no-reply@chat.test, b@chat.test'],
    ['no-reply@chat.test', '"Parley" <no-reply@chat.test>'],
  ],
  ['ALERT_FAILED_PERCENT', ['0', '101', '5 %'], ['1', '100']],
] as const)('a value that could not work is an error: %s', (name, wrong, right) => {
  for (const value of wrong) expect(problemsOf({ ...complete, [name]: value })).toMatchObject([{ name }])
  for (const value of right) expect(problemsOf({ ...complete, [name]: value })).toEqual([])
})

test('an unknown environment or feature is named', () => {
  expect(problemsOf({ ...complete, ENVIRONMENT: 'staging' })).toEqual([
    { name: 'ENVIRONMENT', reason: 'is neither production nor development' },
  ])
  expect(problemsOf({ ...complete, DISABLED_FEATURES: 'serach' })).toMatchObject([{ name: 'DISABLED_FEATURES' }])
})

test('a missing binding is named', () => {
  const result = readSettings({ ...bindings, DB: undefined, ENVIRONMENT: 'development' } as unknown as Env)
  expect(result).toMatchObject({ ok: false, problems: [{ name: 'DB' }] })
})

test('the bucket for files is required unless files are disabled', () => {
  const without = (variables: { [name: string]: string }) =>
    readSettings({ ...bindings, FILES: undefined, ENVIRONMENT: 'development', ...variables } as unknown as Env)
  expect(without({})).toMatchObject({ ok: false, problems: [{ name: 'FILES' }] })
  expect(without({ DISABLED_FEATURES: 'files' })).toMatchObject({ ok: true, settings: { hasFiles: false } })
})

test('models of a server without a list are configured by name', () => {
  const result = read({ ENVIRONMENT: 'development', OPENAI_COMPATIBLE_URL: 'http://127.0.0.1:1/v1', OPENAI_COMPATIBLE_MODELS: 'a, b/c,' })
  expect(result).toMatchObject({ ok: true, settings: { compatible: { models: ['a', 'b/c'] } } })
})

test('capabilities of a server that lists none are configured by name', () => {
  const connected = { ENVIRONMENT: 'development', OPENAI_COMPATIBLE_URL: 'http://127.0.0.1:1/v1' }
  const result = read({ ...connected, OPENAI_COMPATIBLE_CAPABILITIES: 'vision, tools' })
  expect(result).toMatchObject({ ok: true, settings: { compatible: { capabilities: ['tools', 'vision'] } } })
  for (const wrong of ['tool', 'tools;vision', ','])
    expect(read({ ...connected, OPENAI_COMPATIBLE_CAPABILITIES: wrong })).toMatchObject({
      ...{ ok: false, problems: [{ name: 'OPENAI_COMPATIBLE_CAPABILITIES' }] },
    })
})

test('settings are parsed once per environment', () => {
  const env = { ...bindings, ENVIRONMENT: 'development' } as unknown as Env
  expect(readSettings(env)).toBe(readSettings(env))
})

describe('.dev.vars.example', () => {
  const example = readFileSync(join(rootDir, '.dev.vars.example'), 'utf8').split('\n')
  const lineOf = (name: string) => example.findIndex((line) => line.replace(/^# /, '').startsWith(`${name}=`))

  test('lists exactly the known settings', () => {
    const names = example.flatMap((line) => /^(?:# )?([A-Z][A-Z0-9_]*)=/.exec(line)?.[1] ?? [])
    expect(names.sort()).toEqual(Object.keys(settingDefinitions).sort())
  })

  test.each(Object.entries<SettingDefinition>(settingDefinitions))('contains the line about %s', (name, definition) => {
    expect(example[lineOf(name) - 1]).toBe(`# ${definition.line}`)
  })
})

// https://developers.cloudflare.com/workers/platform/deploy-buttons/
describe('the deploy button of Cloudflare', () => {
  const { cloudflare, repository } = JSON.parse(readFileSync(join(rootDir, 'package.json'), 'utf8'))

  test('asks for the secrets of our own, and describes each', () => {
    const asked = Object.entries(parseEnv(readFileSync(join(rootDir, '.dev.vars.example'), 'utf8')))
    expect(asked).toEqual([
      ['BETTER_AUTH_SECRET', ''],
      ['CRON_SECRET', ''],
    ])
    expect(Object.keys(cloudflare.bindings)).toEqual(asked.map(([name]) => name))
  })

  test('clones the repository that package.json names', () => {
    expect(readFileSync(join(rootDir, 'README.md'), 'utf8')).toContain(`(https://deploy.workers.cloudflare.com/?url=${repository.url})`)
  })
})

test('the version is that of the package', () => {
  expect(JSON.parse(readFileSync(join(rootDir, 'package.json'), 'utf8'))).toMatchObject({ version })
})
