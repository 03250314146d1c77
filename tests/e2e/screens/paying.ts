/** From the checkout to the end of a subscription, in this order: `me` pays, and so does the organization of `owner` and `member`. */
import type { Page } from 'playwright-core'
import { at, button, heading, type Screen, type Users } from './screen.ts'

export type PayingWorld = { readonly users: Users; readonly organizationId: string }

const route = '/account/subscription'
const subscription = (text: string | RegExp) => at(route, text)

const portal = async (page: Page) => {
  await page.goto('/api/customer-portal')
  await heading(page, 'Simulated portal').waitFor()
}

/** Actions at the payment provider, followed by the text on the returned page. */
const after = (acts: readonly string[], text: string | RegExp) => async (page: Page) => {
  await portal(page)
  for (const act of acts) {
    // The next page may have the same buttons as the previous one.
    await Promise.all([page.waitForEvent('load'), button(page, act).click()])
  }
  await subscription(text)(page)
}

const checkout = async (page: Page, path = '/api/checkout') => {
  await page.goto(path)
  await heading(page, 'Simulated checkout').waitFor()
}

const members = (text: string | RegExp) => (page: Page, world: PayingWorld) => at(`/team/${world.organizationId}`, text)(page)
const billing = (text: string | RegExp) => (page: Page, world: PayingWorld) => at(`/team/${world.organizationId}/billing`, text)(page)

export const payingScreens: readonly Screen<PayingWorld>[] = [
  { name: 'simulated checkout', route: '/api/simulation/checkout', open: (page) => checkout(page) },
  {
    name: 'PRO after the checkout',
    route,
    open: async (page) => {
      await checkout(page)
      await button(page, 'Subscribe').click()
      await page.getByRole('dialog', { name: 'Welcome to PRO' }).waitFor()
    },
  },
  {
    name: 'simulated checkout, paid',
    route: '/api/simulation/checkout',
    open: async (page) => {
      await page.goBack()
      await heading(page, 'Already paid').waitFor()
    },
  },
  { name: 'PRO that renews', route, open: subscription(/Renews on/) },
  { name: 'simulated portal', route: '/api/simulation/portal', open: portal },
  { name: 'PRO that ends', route, open: after(['Cancel at the end of the period'], /Ends on/) },
  {
    name: 'PRO with a payment that is due',
    route,
    open: after(['Resume', 'Let the month pass, with the card refused'], /The last payment failed/),
  },
  { name: 'simulated portal, payment due', route: '/api/simulation/portal', open: portal },
  { name: 'PRO that is paused', route, open: after(['Pay what is due', 'Pause collecting'], /Payments are paused/) },
  { name: 'PRO that was refunded', route, open: after(['Collect again', 'Refund the last payment'], /was returned/) },
  { name: 'PRO that is over', route, open: after(['End now'], /The subscription ended/) },
  {
    name: 'billing, paid',
    route: '/team/$organizationId/billing',
    as: 'owner',
    open: async (page, { organizationId }) => {
      const back = `/team/${organizationId}/billing`
      await checkout(page, `/api/checkout?${new URLSearchParams({ organizationId, redirectUrl: back })}`)
      await button(page, 'Subscribe').click()
      await page.getByText(/Renews on/).waitFor()
    },
  },
  { name: 'billing, paid, for a member', route: '/team/$organizationId/billing', as: 'member', open: billing(/Renews on/) },
  { name: 'PRO by an organization', route, as: 'member', open: subscription('Atelier pays for your PRO.') },
  { name: 'members, paid', route: '/team/$organizationId', as: 'owner', open: members('adds a seat') },
  {
    name: 'leave an organization that pays',
    route: '/team/$organizationId',
    as: 'member',
    open: async (page, world) => {
      await members('Members · 2')(page, world)
      await button(page, 'Change member').click()
      await page.getByRole('menuitem', { name: 'Leave' }).click()
      await page.getByText('Your PRO ends at once').waitFor()
    },
  },
  {
    name: 'PRO paid twice',
    route,
    as: 'member',
    open: async (page) => {
      await checkout(page)
      await button(page, 'Subscribe').click()
      await page.getByText('You also pay for PRO yourself').waitFor()
    },
  },
  { name: 'billing, paid twice', route: '/team/$organizationId/billing', as: 'member', open: billing('You also pay for PRO yourself') },
]
