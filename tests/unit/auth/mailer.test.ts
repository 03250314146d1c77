// Mail through Resend's HTTP API, against a peer on loopback, and through the binding of Email Service. Errors never contain a code of the mail.
import { createServer } from 'node:http'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { codeMail, createMailer, invitationMail, mailLanguage } from '../../../worker/auth/mails.ts'
import type { Env } from '../../../worker/bindings.ts'
import { mustSettings } from '../../../worker/settings.ts'
import { close, listen } from '../../support/peers/peer-server.ts'

let url: string
let status = 200
const sent: { path: string | undefined; key: string | undefined; body: unknown }[] = []

const server = createServer((request, response) => {
  let text = ''
  request.on('data', (chunk: Buffer) => {
    text += chunk.toString('utf8')
  })
  request.on('end', () => {
    sent.push({ path: request.url, key: request.headers.authorization, body: JSON.parse(text) })
    response.writeHead(status, { 'content-type': 'application/json' }).end('{"id":"1"}')
  })
})
beforeAll(async () => {
  url = `http://127.0.0.1:${await listen(server)}`
})
afterAll(() => close(server))

const bindings = { DB: {}, USER_SYNC: {}, GENERATION: {}, FILES: {}, ENVIRONMENT: 'development' }
const mailer = (variables: { [name: string]: string }) => {
  const env = { ...bindings, ...variables } as unknown as Env
  return createMailer(env, mustSettings(env))
}
const resend = () =>
  mailer({
    RESEND_API_KEY: 'key',
    MAIL_API_URL: url,
    MAIL_FROM: 'Parley <hello@chat.test>',
  })

test('sends a valid request to Resend', async () => {
  const mail = codeMail('en', 'ada@example.test', '123456')
  await resend()(mail)
  expect(sent.at(-1)).toEqual({
    path: '/emails',
    key: 'Bearer key',
    body: { from: 'Parley <hello@chat.test>', to: ['ada@example.test'], subject: mail.subject, text: mail.body, html: mail.html },
  })
  for (const text of [mail.body, mail.html]) expect(text).toContain('123456')
  expect(mail.subject).not.toContain('123456')
})

test('a refusal becomes an error with the status and without the mail’s content', async () => {
  status = 422
  const failure = await resend()(codeMail('en', 'ada@example.test', '654321')).then(
    () => 'sent',
    (error: unknown) => String(error),
  )
  expect(failure).toBe('MailError: the mail provider answered 422')
})

test.each([200, 500])('the response body is not read after the status (%i)', async (status) => {
  let isLeft = false
  const endless = new ReadableStream({
    cancel() {
      isLeft = true
    },
  })
  const fetched = vi.spyOn(globalThis, 'fetch').mockImplementation(async () => new Response(endless, { status }))
  const sending = resend()(codeMail('en', 'ada@example.test', '123456'))
  await (status === 200 ? sending : expect(sending).rejects.toThrow('answered 500'))
  fetched.mockRestore()
  expect(isLeft).toBe(true)
})

describe('Email Service of Cloudflare', () => {
  /** The binding: resolves with an id, or throws an error with a code. */
  function bound(from: string, answer: () => Promise<{ messageId: string }> = async () => ({ messageId: '1' })) {
    const messages: unknown[] = []
    const send = (message: unknown) => {
      messages.push(message)
      return answer()
    }
    const env = { ...bindings, MAIL_FROM: from, EMAIL: { send } } as unknown as Env
    return { send: createMailer(env, mustSettings(env)), messages }
  }
  const refusedWith = (error: object) => () => Promise.reject(Object.assign(new Error('to ada@example.test: not verified'), error))

  test.each([
    ['Parley <hello@chat.test>', { name: 'Parley', email: 'hello@chat.test' }],
    ['"Parley, Inc." <hello@chat.test>', { name: 'Parley, Inc.', email: 'hello@chat.test' }],
    ['<hello@chat.test>', 'hello@chat.test'],
    ['hello@chat.test', 'hello@chat.test'],
  ])('sends a mail from %s without a key of Resend', async (from, sender) => {
    const { send, messages } = bound(from)
    const mail = codeMail('en', 'ada@example.test', '123456')
    await send(mail)
    expect(messages).toEqual([{ from: sender, to: 'ada@example.test', subject: mail.subject, text: mail.body, html: mail.html }])
  })

  test.each([
    [{ code: 'E_SENDER_NOT_VERIFIED' }, 'MailError: Email Service of Cloudflare refused the mail: E_SENDER_NOT_VERIFIED'],
    [{ code: 'E_DAILY_LIMIT_EXCEEDED' }, 'MailError: Email Service of Cloudflare refused the mail: E_DAILY_LIMIT_EXCEEDED'],
    [{ code: 'to ada@example.test' }, 'MailError: Email Service of Cloudflare refused the mail: without a code'],
    [{}, 'MailError: Email Service of Cloudflare refused the mail: without a code'],
  ])('a refusal %j becomes an error with its code alone', async (error, sentence) => {
    const { send } = bound('hello@chat.test', refusedWith(error))
    const failure = await send(codeMail('en', 'ada@example.test', '654321')).catch((reason: unknown) => reason)
    expect(String(failure)).toBe(sentence)
    expect(failure).not.toHaveProperty('cause')
  })

  test('a binding that does not answer is an error after the time limit', async () => {
    vi.useFakeTimers()
    const sending = bound('hello@chat.test', () => new Promise(() => {})).send(codeMail('en', 'ada@example.test', '1'))
    const failed = expect(sending).rejects.toThrow('does not answer')
    await vi.advanceTimersByTimeAsync(10_000)
    await failed
    vi.useRealTimers()
  })
})

test('disabled in production, it refuses instead of storing mails', async () => {
  const env = { ...bindings } as unknown as Env
  const settings = { ...mustSettings(env), environment: 'production' as const }
  await expect(createMailer(env, settings)(codeMail('en', 'a@b.test', '1'))).rejects.toThrow(/switched off/)
})

test('user input is escaped in a mail, and a link’s target equals its text', () => {
  const inviter = { name: '<b>Ada</b>', email: 'ada@b.test' }
  const { html, body } = invitationMail('en', 'a@b.test', inviter, '<img src=x onerror=alert(1)>', 'https://chat.test/login?a=1&b="2"')
  expect(html).not.toContain('<img')
  expect(html).not.toContain('<b>Ada')
  expect(html).toContain('href="https://chat.test/login?a=1&amp;b=&quot;2&quot;"')
  expect(body).toContain('https://chat.test/login?a=1&b="2"')
})

test.each([
  ['Ada Lovelace', 'Ada Lovelace (ada@b.test)'],
  ['  ', 'ada@b.test'],
  // The default name of an account.
  ['ada', 'ada@b.test'],
])('an account with the name %j invites as %s', (name, shownName) => {
  const { body } = invitationMail('en', 'a@b.test', { name, email: 'ada@b.test' }, 'Ateliér Nord', 'https://chat.test')
  expect(body).toContain(`${shownName} invites you to join Ateliér Nord on Parley.`)
})

test('a mail is in the language of the page that requested it', () => {
  expect(mailLanguage(new Headers({ 'accept-language': 'de' }))).toBe('de')
  expect(mailLanguage(new Headers({ 'accept-language': 'fr-CH, en;q=0.5, de;q=0.8' }))).toBe('de')
  expect(mailLanguage(undefined)).toBe('en')
  const { subject, body, html } = invitationMail('de', 'a@b.test', { name: 'Ada', email: 'ada@b.test' }, "L'Atelier", 'https://chat.test')
  expect(subject).toBe("Tritt L'Atelier auf Parley bei")
  expect(body).toContain("Ada (ada@b.test) lädt dich ein, L'Atelier auf Parley beizutreten.")
  expect(html).toContain('<html lang="de">')
  expect(codeMail('de', 'a@b.test', '123456').body).toContain('Dein Code ist 123456')
})

test('a link in a name is no link in an invitation mail, and its subject is one line', () => {
  const inviter = { name: 'Go to evil.example', email: 'eve@b.test' }
  const { subject, body, html } = invitationMail(
    'en',
    'a@b.test',
    inviter,
    'Visit evil.example\r\nBcc: all@b.test \u202E',
    'https://chat.test/i',
  )
  expect(subject).toBe('Join Visit evil. example Bcc: all@b. test on Parley')
  for (const text of [subject, body, html]) {
    expect(text).not.toContain('evil.example')
    expect(text).not.toContain('\u202E')
  }
})
