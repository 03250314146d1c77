/** Pages without a session: every screen, in both colour modes, on desktop and phone. */
import { afterAll, beforeAll, test } from 'vitest'
import { type Product, startProduct } from '../../support/product.ts'
import { walk } from '../screens/screen.ts'
import { setupSecret, signedOutScreens } from '../screens/signed-out.ts'
import { setStage } from '../stage.ts'

/** Never called: only their buttons are shown. */
const signInKeys = { GOOGLE_CLIENT_ID: 'id', GOOGLE_CLIENT_SECRET: 'secret', GITHUB_CLIENT_ID: 'id', GITHUB_CLIENT_SECRET: 'secret' }

// Wrong codes and addresses are refused, and a server without configuration responds with 500.
const { newUser } = setStage({ product: { env: signInKeys }, ignoredErrors: /status of (400|403|500)/ })
let unset: Product

beforeAll(async () => {
  unset = await startProduct({ env: { ENVIRONMENT: 'production', CRON_SECRET: setupSecret } })
})
afterAll(() => unset?.stop())

test('every screen without a session', async () => {
  await walk(signedOutScreens, { users: { me: await newUser() }, unsetUrl: unset.url })
})
