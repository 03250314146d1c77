/** Fixture of every e2e file: a product, a browser, and users whose contexts close after each test and must have no console errors. */
import { mkdirSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { sharedBrowser } from '../support/browser.ts'
import type { Guest } from '../support/guest.ts'
import { type Product, type ProductOptions, startProduct } from '../support/product.ts'
import { serverAway } from '../support/server-away.ts'
import { type UserPage, type Visit, visit } from './user-page.ts'

type StageOptions = {
  /** A function if the product depends on something that must be started first. */
  readonly product?: ProductOptions | (() => Promise<ProductOptions>)
  /** Default options of all visits. */
  readonly visits?: Partial<Visit>
  /** Console errors that every test causes on purpose. */
  readonly ignoredErrors?: RegExp
}

export type Stage = {
  product(): Product
  /** A new user on an empty page. */
  newUser(options?: Partial<Visit>): Promise<UserPage>
  /** A new user in front of the composer. */
  openComposer(options?: Partial<Visit>): Promise<UserPage>
  /** The same user in another browser context with separate storage, so with another client group. */
  newDevice(user: UserPage, options?: Partial<Visit>): Promise<UserPage>
  /** A browser with the session of a guest that the test created by API, in front of the composer. */
  openWithCookie(guest: Pick<Guest, 'cookie'>): Promise<UserPage>
  /** A user with an account, signed in by code, on an empty page. */
  newSignedInUser(email: string, options?: Partial<Visit>): Promise<UserPage>
  /** Signs in by the code of a mail; ends at `callbackUrl`. */
  signIn(page: Page, email: string, callbackUrl?: string): Promise<void>
  /** The text of the newest mail to an address. */
  mailTo(email: string): Promise<string>
}

export function setStage({ product: wanted = {}, visits = {}, ignoredErrors }: StageOptions = {}): Stage {
  let product: Product
  let browser: Browser
  let users: UserPage[] = []
  let pidBefore: number

  beforeAll(async () => {
    const options = typeof wanted === 'function' ? await wanted() : wanted
    ;[product, browser] = await Promise.all([startProduct(options), sharedBrowser()])
  })

  beforeEach(() => {
    pidBefore = product.pid
  })

  afterEach(async () => {
    const closing = users
    users = []
    if (ignoredErrors) for (const user of closing) user.ignoreErrors(ignoredErrors)
    if (product.pid !== pidBefore) for (const user of closing) user.ignoreErrors(serverAway)
    const errors = closing.flatMap((user) => user.errors())
    await Promise.all(closing.map((user) => user.leave()))
    // The output of the product usually contains the reason.
    expect(errors, product.output.slice(-30).join('\n')).toEqual([])
  })

  afterAll(() => product?.stop())

  const newUser: Stage['newUser'] = async (options) => {
    const user = await visit(browser, { url: product.url, ...visits, ...options })
    users.push(user)
    return user
  }
  const openComposer: Stage['openComposer'] = async (options) => {
    const user = await newUser(options)
    await user.open()
    return user
  }
  const mailTo: Stage['mailTo'] = async (email) => {
    const { mails } = (await (await fetch(`${product.url}/api/outbox`)).json()) as { mails: { to: string; body: string }[] }
    return mails.find(({ to }) => to === email)?.body ?? ''
  }
  return {
    product: () => product,
    newUser,
    mailTo,
    signIn: async (page, email, callbackUrl = '/') => {
      await page.goto(`/login?callbackUrl=${encodeURIComponent(callbackUrl)}`)
      await page.getByRole('textbox', { name: 'Email' }).fill(email)
      await page.getByRole('button', { name: 'Continue', exact: true }).click()
      // The mail is sent before the page shows this heading.
      await page.getByRole('heading', { name: 'Check your email' }).waitFor()
      await page.getByRole('textbox', { name: 'Code' }).fill(codeIn(await mailTo(email)))
      await page.waitForURL((url) => url.pathname === callbackUrl)
    },
    openComposer,
    openWithCookie: ({ cookie }) => openComposer({ storageState: { cookies: cookie.split('; ').map(storedCookie), origins: [] } }),
    newDevice: async (user, options) => newUser({ storageState: await signedIn(user), ...options }),
    newSignedInUser: async (email, options) => {
      const user = await newUser(options)
      const post = (path: string, data: object) =>
        user.page.request.post(`${product.url}/api/auth/${path}`, { data, headers: { origin: product.url } })
      await post('email-otp/send-verification-otp', { email, type: 'sign-in' })
      expect((await post('sign-in/email-otp', { email, otp: codeIn(await mailTo(email)) })).ok()).toBe(true)
      return user
    },
  }
}

/** The session only, without the storage of the page. */
async function signedIn({ context }: UserPage): Promise<NonNullable<Visit['storageState']>> {
  return { cookies: await context.cookies(), origins: [] }
}

function storedCookie(pair: string) {
  const at = pair.indexOf('=')
  const flags = { expires: -1, httpOnly: true, secure: false, sameSite: 'Lax' as const }
  return { name: pair.slice(0, at), value: pair.slice(at + 1), domain: 'localhost', path: '/', ...flags }
}

export const codeIn = (mail: string): string => /\b\d{6}\b/.exec(mail)?.[0] ?? 'no code'
export const linkIn = (mail: string): string => /http\S+/.exec(mail)?.[0] ?? 'no link'

export const pathOf = ({ page }: UserPage): string => new URL(page.url()).pathname

/** Saves a screenshot if screenshots are requested. */
export async function show({ page }: Pick<UserPage, 'page'>, name: string): Promise<void> {
  const folder = process.env.PARLEY_PICTURES
  if (!folder) return
  mkdirSync(folder, { recursive: true })
  await page.screenshot({ path: `${folder}/${name}.png` })
}

/** Shows the page in light or dark colors. */
export const inMode = (page: Page, mode: 'light' | 'dark') =>
  page.evaluate((name) => {
    document.documentElement.classList.remove('light', 'dark')
    document.documentElement.classList.add(name)
  }, mode)
