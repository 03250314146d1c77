// The Turnstile step in a browser, with a stand-in for Cloudflare. The server decides when the step appears; the page then continues.
import { afterAll, afterEach, expect, test } from 'vitest'
import { guestsPerHourWithoutCaptcha } from '../../../worker/auth/auth-limits.ts'
import { startTurnstile, type TurnstilePeer, turnstileKeys } from '../../support/peers/turnstile.ts'
import { problemsInBothModes } from '../axe.ts'
import { setStage, show } from '../stage.ts'
import type { UserPage } from '../user-page.ts'

let peer: TurnstilePeer

const { product, newUser } = setStage({
  product: async () => {
    peer = await startTurnstile()
    return { env: { ...turnstileKeys, TURNSTILE_URL: peer.url } }
  },
  // The refusal that requires the challenge, and the script of a Turnstile that is down.
  ignoredErrors: /status of (403|503)/,
})
afterEach(() => peer.misbehave(null))
afterAll(() => peer.stop())

const dialogOf = ({ page }: UserPage) => page.getByRole('alertdialog', { name: "Confirm you're human" })
const solve = (user: UserPage) => user.page.getByRole('button', { name: 'I am human (stand-in)' }).click()

/** Creates as many guests as a network may create without a challenge. */
async function useFreeGuests(): Promise<void> {
  const headers = { origin: product().url, 'content-type': 'application/json' }
  for (let i = 0; i < guestsPerHourWithoutCaptcha; i++)
    await fetch(`${product().url}/api/auth/sign-in/anonymous`, { method: 'POST', headers, body: '{}' })
}

test('the first guests of a network see no challenge and load nothing from Cloudflare', async () => {
  const user = await newUser()
  await user.open()
  expect(await dialogOf(user).count()).toBe(0)
  expect(peer.requests).toEqual([])
})

test('a later guest solves the challenge and continues', async () => {
  await useFreeGuests()
  for (const phone of [false, true]) {
    const user = await newUser({ phone })
    await user.page.goto('/')
    await dialogOf(user).waitFor()
    await user.page.getByRole('button', { name: 'I am human (stand-in)' }).waitFor()
    const seen = (mode: string) => show(user, `captcha-guest-${phone ? 390 : 1440}-${mode}`)
    expect(await problemsInBothModes(user, seen)).toEqual({})
    // Escape does not close the step, because the page would have no session.
    await user.page.keyboard.press('Escape')
    await solve(user)
    await user.composer.waitFor()
    await user.send('/demo say=Hello')
    await user.untilAnswered()
    await expect.poll(() => user.answer()).toContain('Hello')
    await user.page.reload()
    await user.composer.waitFor()
    expect(await dialogOf(user).count()).toBe(0)
  }
})

test('a guest may log in instead, with a challenge before the mail; cancelling sends none', async () => {
  const user = await newUser()
  await user.page.goto('/')
  await dialogOf(user).getByRole('link', { name: 'Log in instead' }).click()
  await user.page.getByRole('textbox', { name: 'Email' }).fill('human@captcha.test')
  const ask = user.page.getByRole('button', { name: 'Continue', exact: true })
  await ask.click()
  await dialogOf(user).getByRole('button', { name: 'Cancel' }).click()
  await user.page.getByText("Confirm you're human to continue.").waitFor()
  await ask.click()
  await user.page.getByRole('button', { name: 'I am human (stand-in)' }).waitFor()
  await show(user, 'captcha-mail')
  await solve(user)
  await user.page.getByRole('heading', { name: 'Check your email' }).waitFor()
})

test('a challenge that cannot be loaded shows a notice and can be retried', async () => {
  peer.misbehave('down')
  const user = await newUser()
  await user.page.goto('/')
  await user.page.getByText("The check couldn't be loaded.").waitFor()
  await show(user, 'captcha-failed')
  peer.misbehave(null)
  await user.page.getByRole('button', { name: 'Try again' }).click()
  await solve(user)
  await user.composer.waitFor()
})
