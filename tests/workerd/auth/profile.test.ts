// The rule for names and images, on each endpoint that creates or changes a user.
import { describe, expect, test } from 'vitest'
import { authFor } from '../../../worker/auth/session.ts'
import { mustSettings } from '../../../worker/settings.ts'
import { env } from '../bindings.ts'
import { Browser, codeFor, guest, linkFor, type OutboxBody, type SessionBody, signInByCode, submitLink } from './browser.ts'

const phishing = `Your account is locked, go to https://evil.example ${'x'.repeat(20_000)}`
const badNames = [phishing, 'www.evil.example', 'x'.repeat(33), '\u202E\u200B', 7]
const badImages = [
  'javascript:alert(1)',
  'data:image/svg+xml,<svg onload=alert(1)>',
  'http://plain.test/a.png',
  `https://a.test/${'x'.repeat(2000)}`,
  7,
]

const userOf = (email: string) =>
  env.DB.prepare('select name, image from user where email = ?').bind(email).first<{ name: string; image: string | null }>()
const error = async (answer: Response) => ((await answer.json()) as { error: { code: string; message: string } }).error

describe('signing up by e-mail code', () => {
  test('refuses an invalid name or image, creates no user and leaves the code valid', async () => {
    const email = 'sign-up@profile.test'
    const browser = new Browser()
    await browser.json('/api/auth/email-otp/send-verification-otp', { body: { email, type: 'sign-in' } })
    const otp = await codeFor(email)
    const signUp = (fields: object) => browser.call('/api/auth/sign-in/email-otp', { body: { email, otp, ...fields } })
    for (const name of badNames) {
      const answer = await signUp({ name })
      expect([name, answer.status]).toEqual([name, 400])
      expect(await error(answer)).toEqual({ code: 'INVALID_NAME' })
    }
    for (const image of badImages) expect(await error(await signUp({ image }))).toMatchObject({ code: 'INVALID_IMAGE' })
    expect(await userOf(email)).toBeNull()
    const image = 'https://pictures.test/ada.png'
    expect((await signUp({ name: ' Ada\u202E\n Lovelace ', image })).status).toBe(200)
    expect(await userOf(email)).toEqual({ name: 'Ada Lovelace', image })
  })

  test('without a name uses the local part of the address, if that is a name', async () => {
    await signInByCode(new Browser(), 'plain.name@profile.test')
    expect(await userOf('plain.name@profile.test')).toEqual({ name: 'plain.name', image: null })
    await signInByCode(new Browser(), `${'long'.repeat(15)}@profile.test`)
    expect((await userOf(`${'long'.repeat(15)}@profile.test`))?.name).toBe('long'.repeat(8))
    await signInByCode(new Browser(), 'www.evil.example@profile.test')
    expect((await userOf('www.evil.example@profile.test'))?.name).toMatch(/^[A-Z][a-z]+ [A-Z][a-z]+$/)
  })
})

test('a magic link is not sent for an invalid name, and its name is cleaned', async () => {
  const email = 'by-link@profile.test'
  const browser = new Browser()
  const ask = (name: string) => browser.call('/api/auth/sign-in/magic-link', { body: { email, name, callbackURL: '/' } })
  expect(await error(await ask(phishing))).toMatchObject({ code: 'INVALID_NAME' })
  await expect(linkFor(email)).rejects.toThrow('no link')
  expect((await ask('Ada\u2066 L.')).status).toBe(200)
  await submitLink(browser, new URL(await linkFor(email)))
  expect(await userOf(email)).toEqual({ name: 'Ada L.', image: null })
})

test('a change of the profile is refused or cleaned', async () => {
  const email = 'profile@profile.test'
  const browser = new Browser()
  await signInByCode(browser, email)
  const update = (body: object) => browser.call('/api/auth/update-user', { body })
  for (const name of ['', '   ', ...badNames]) expect([name, (await error(await update({ name }))).code]).toEqual([name, 'INVALID_NAME'])
  for (const image of badImages) expect([image, (await error(await update({ image }))).code]).toEqual([image, 'INVALID_IMAGE'])
  expect(await userOf(email)).toEqual({ name: 'profile', image: null })
  expect((await update({ name: '\u200BAda\u0000 Lovelace', image: 'https://pictures.test/ada.png' })).status).toBe(200)
  expect(await userOf(email)).toEqual({ name: 'Ada Lovelace', image: 'https://pictures.test/ada.png' })
  const { user } = await browser.json<SessionBody>('/api/auth/get-session')
  expect(user.name).toBe('Ada Lovelace')
  expect((await update({ image: null })).status).toBe(200)
  expect(await userOf(email)).toEqual({ name: 'Ada Lovelace', image: null })
})

test('the rule holds for writes that pass no endpoint', async () => {
  const { internalAdapter } = await (await authFor(env, mustSettings(env), 'http://localhost')).$context
  const email = 'direct@profile.test'
  const { id } = await internalAdapter.createUser(
    { email, name: phishing, image: 'http://plain.test/a.png', emailVerified: true },
    { method: 'magic-link' },
  )
  expect(await userOf(email)).toEqual({ name: 'direct', image: null })
  await internalAdapter.updateUser(id, { name: '\u202EAda', image: 'https://pictures.test/ada.png' })
  await internalAdapter.updateUser(id, { name: phishing })
  expect(await userOf(email)).toEqual({ name: 'Ada', image: 'https://pictures.test/ada.png' })
})

test('organization and team names follow the rule, and invitation mails contain no link of them', async () => {
  const browser = new Browser()
  await signInByCode(browser, 'owner@profile.test')
  const call = (path: string, body: object) => browser.call(`/api/auth/organization/${path}`, { body })
  const bad = ['', 'Go to https://evil.example', '\u200B', 'x'.repeat(61)]
  for (const name of bad) expect(await error(await call('create', { name, slug: 'bad' }))).toMatchObject({ code: 'name_invalid' })
  const created = await call('create', { name: 'Evil\u202E.example\r\nBcc: a', slug: 'good' })
  const { id: organizationId, name } = (await created.json()) as { id: string; name: string }
  expect(name).toBe('Evil.example Bcc: a')
  for (const name of bad) {
    expect(await error(await call('update', { organizationId, data: { name } }))).toMatchObject({ code: 'name_invalid' })
    expect(await error(await call('create-team', { organizationId, name }))).toMatchObject({ code: 'name_invalid' })
  }
  const team = await call('create-team', { organizationId, name: ' Sales\u2069 ' })
  expect(await team.json()).toMatchObject({ name: 'Sales' })
  expect((await call('invite-member', { organizationId, email: 'invited@profile.test', role: 'member' })).status).toBe(200)
  const { mails } = await browser.json<OutboxBody>('/api/outbox')
  const mail = mails.find(({ to }) => to === 'invited@profile.test')
  expect(mail?.subject).toBe('Join Evil. example Bcc: a on Parley')
  expect(mail?.body).not.toContain('Evil.example')
})

test('a guest has a generated name and no image', async () => {
  const { userId, name } = await guest()
  expect(await env.DB.prepare('select name, image from user where id = ?').bind(userId).first()).toEqual({ name, image: null })
  expect(name).toMatch(/^[A-Z][a-z]+ [A-Z][a-z]+$/)
})
