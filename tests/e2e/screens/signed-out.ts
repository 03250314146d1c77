/** Pages without a session, and pages that the server renders. */
import { linkIn } from '../stage.ts'
import { at, button, field, heading, readMail, type Screen, type Users } from './screen.ts'

export type SignedOutWorld = {
  readonly users: Users
  /** A product without configuration except the secret of its setup page. */
  readonly unsetUrl: string
}

const askForMail = async (page: Parameters<Screen<unknown>['open']>[0]) => {
  await page.goto('/login')
  await field(page, 'Email').fill('visitor@screens.test')
  await button(page, 'Continue').click()
  await heading(page, 'Check your email').waitFor()
}

const openLink = async (page: Parameters<Screen<unknown>['open']>[0]) => {
  await askForMail(page)
  const { mails } = (await (await page.request.get('/api/outbox')).json()) as { mails: { to: string; body: string }[] }
  await page.goto(linkIn(mails.find(({ to }) => to === 'visitor@screens.test')?.body ?? ''))
}

export const signedOutScreens: readonly Screen<SignedOutWorld>[] = [
  { name: 'login', route: '/login', open: at('/login', 'Continue with GitHub') },
  { name: 'login after an error that is no text', route: '/login', open: at('/login?error={"toString":1}', 'Login failed. Try again.') },
  { name: 'login after an expired link', route: '/login', open: at('/login?error=INVALID_TOKEN', 'This link has expired') },
  {
    name: 'login with an invalid address',
    route: '/login',
    open: async (page) => {
      await page.goto('/login')
      await field(page, 'Email').fill('somebody@nowhere')
      await button(page, 'Continue').click()
      await page.getByText('Enter a valid email address').waitFor()
    },
  },
  { name: 'magic link', route: '/magic-link', open: askForMail },
  {
    name: 'magic link with a wrong code',
    route: '/magic-link',
    open: async (page) => {
      await askForMail(page)
      await field(page, 'Code').fill('000000')
      await page.getByText('Incorrect code.').waitFor()
    },
  },
  {
    name: 'magic link in a browser without a request',
    route: '/magic-link',
    open: async (page) => {
      await page.evaluate(() => sessionStorage.clear())
      await at('/magic-link', 'Check your email')(page)
    },
  },
  {
    name: 'magic link, opened',
    route: '/magic-link',
    open: async (page) => {
      await openLink(page)
      await page.getByText('This link logs you in as visitor@screens.test').waitFor()
    },
  },
  { name: 'used or expired magic link', route: '/magic-link', open: at('/magic-link?token=x', 'This link no longer works') },
  { name: 'logged out', route: '/logged-out', open: at('/logged-out', 'You are logged out') },
  { name: 'deleted', route: '/logged-out', open: at('/logged-out?deleted=true', 'Your data was deleted') },
  { name: 'outbox', route: '/api/outbox', open: at('/api/outbox', 'visitor@screens.test') },
  {
    name: 'mail with a link and a code',
    route: 'mail',
    open: async (page) => {
      await readMail(page, ({ to }) => to === 'visitor@screens.test')
      await heading(page, 'Log in to Parley').waitFor()
    },
  },
  { name: 'set-up of a development server', route: '/api/setup', open: at('/api/setup', 'every migration is applied') },
  {
    name: 'not set up',
    route: '/api/error',
    open: async (page, { unsetUrl }) => at(unsetUrl, 'BETTER_AUTH_SECRET')(page),
  },
  {
    name: 'set-up asks for its secret',
    route: '/api/setup',
    open: async (page, { unsetUrl }) => at(`${unsetUrl}/api/setup`, 'CRON_SECRET')(page),
  },
  {
    name: 'set-up refuses a wrong secret',
    route: '/api/setup',
    open: async (page, { unsetUrl }) => {
      await at(`${unsetUrl}/api/setup`, 'CRON_SECRET')(page)
      await page.getByLabel('CRON_SECRET').fill('a guess')
      await button(page, 'Run all checks').click()
      await page.getByText('Wrong secret.').waitFor()
    },
  },
  {
    name: 'set-up lists what is missing',
    route: '/api/setup',
    open: async (page, { unsetUrl }) => {
      await at(`${unsetUrl}/api/setup`, 'CRON_SECRET')(page)
      await page.getByLabel('CRON_SECRET').fill(setupSecret)
      await button(page, 'Run all checks').click()
      await page.getByRole('heading', { name: 'Checks' }).waitFor()
    },
  },
  {
    name: 'magic link of another browser',
    route: '/magic-link',
    open: async (page) => {
      await openLink(page)
      await page.request.post('/api/auth/sign-in/anonymous', { data: {}, headers: { origin: new URL(page.url()).origin } })
      await page.reload()
      await heading(page, 'Did you ask for this link?').waitFor()
    },
  },
  {
    name: 'magic link, sent again',
    route: '/magic-link',
    open: async (page) => {
      // With a fake clock: the button is disabled for half a minute.
      await page.clock.install()
      await askForMail(page)
      const again = button(page, 'Resend')
      while ((await again.getAttribute('aria-disabled')) === 'true') await page.clock.fastForward(1000)
      await again.click()
      await page.getByText('Email sent again.').waitFor()
    },
  },
]

export const setupSecret = 'the secret of the screens'
