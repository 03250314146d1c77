/** An HTTP client that stores cookies and sends its Origin, like a browser. */
import type { PageSettings } from '../../../worker/contract/http.ts'
import { worker } from '../bindings.ts'

export const origin = 'http://localhost'

type Server = { readonly fetch: (url: string, init: RequestInit) => Promise<Response> }

export class Browser {
  readonly #cookies = new Map<string, string>()
  readonly #server: Server
  readonly #origin: string

  constructor(server: Server = worker, ownOrigin: string = origin) {
    this.#server = server
    this.#origin = ownOrigin
  }

  /** `body` is sent as JSON, `form` as a browser submits a form. */
  async call(
    path: string,
    init: { method?: string; body?: unknown; form?: URLSearchParams; headers?: Record<string, string> } = {},
  ): Promise<Response> {
    const headers = new Headers({ origin: this.#origin, ...init.headers })
    if (this.#cookies.size > 0) headers.set('cookie', this.cookie)
    if (init.body !== undefined) headers.set('content-type', 'application/json')
    const body = init.body === undefined ? init.form : JSON.stringify(init.body)
    const response = await this.#server.fetch(this.#origin + path, {
      method: init.method ?? (body === undefined ? 'GET' : 'POST'),
      headers,
      redirect: 'manual',
      ...(body === undefined ? {} : { body }),
    })
    for (const line of response.headers.getSetCookie()) this.#keep(line)
    return response
  }

  async json<T>(path: string, init?: Parameters<Browser['call']>[1]): Promise<T> {
    const response = await this.call(path, init)
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
    return (await response.json()) as T
  }

  get cookie(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  /** Sets cookies given as a header value. */
  wear(cookie: string): void {
    this.#keep(cookie)
  }

  #keep(line: string): void {
    const [pair = ''] = line.split(';')
    const name = pair.slice(0, pair.indexOf('='))
    const value = pair.slice(name.length + 1)
    if (value === '' || /max-age=0\b/i.test(line)) this.#cookies.delete(name)
    else this.#cookies.set(name, value)
  }
}

export type SessionBody = {
  session: { id: string; userId: string; token: string }
  user: { id: string; name: string; isAnonymous: boolean }
}

export async function guest(): Promise<{ browser: Browser; userId: string; name: string; sessionId: string }> {
  const browser = new Browser()
  await browser.json('/api/auth/sign-in/anonymous', { body: {} })
  const { session, user } = await browser.json<SessionBody>('/api/auth/get-session')
  return { browser, userId: user.id, name: user.name, sessionId: session.id }
}

/** Signs in by a code, read from the development outbox. */
export async function signInByCode(browser: Browser, email: string): Promise<{ userId: string }> {
  await browser.json('/api/auth/email-otp/send-verification-otp', { body: { email, type: 'sign-in' } })
  const { user } = await browser.json<{ user: { id: string } }>('/api/auth/sign-in/email-otp', {
    body: { email, otp: await codeFor(email) },
  })
  return { userId: user.id }
}

/** Submits the form of a magic link's landing page. */
export const submitLink = (browser: Browser, link: URL, headers: Record<string, string> = {}): Promise<Response> =>
  browser.call('/api/auth/magic-link/verify', { form: link.searchParams, headers })

/** The part of the page settings that the landing page of a magic link reads. */
export async function readMagicLink(browser: Browser, link: URL): Promise<PageSettings['magicLink']> {
  const html = await (await browser.call(link.pathname + link.search)).text()
  const json = /<script type="application\/json" id="page-settings"[^>]*>(.*?)<\/script>/.exec(html)?.[1]
  return (JSON.parse(json ?? '{}') as PageSettings).magicLink
}

export type OutboxBody = { mails: { to: string; subject: string; body: string }[] }

/** The link in the newest mail to an address. */
export async function linkFor(email: string): Promise<string> {
  const { mails } = await new Browser().json<OutboxBody>('/api/outbox')
  const link = mails.find((mail) => mail.to === email)?.body.match(/http\S+/)?.[0]
  if (link === undefined) throw new Error(`no link for ${email} in the outbox`)
  return link
}

export async function codeFor(email: string): Promise<string> {
  const { mails } = await new Browser().json<OutboxBody>('/api/outbox')
  const code = mails.find((mail) => mail.to === email)?.body.match(/\b\d{6}\b/)?.[0]
  if (code === undefined) throw new Error(`no code for ${email} in the outbox`)
  return code
}
