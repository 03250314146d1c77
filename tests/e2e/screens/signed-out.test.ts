/** Before and after a session: every screen, dark and light, on a desk and on a phone. */
import { afterAll, beforeAll, test } from 'vitest'
import { type Product, startProduct } from '../../support/product.ts'
import { setStage } from '../stage.ts'
import { walk } from './screen.ts'
import { setupSecret, signedOutScreens } from './signed-out.ts'

/** Never asked: their buttons are looked at. */
const companies = { GOOGLE_CLIENT_ID: 'id', GOOGLE_CLIENT_SECRET: 'secret', GITHUB_CLIENT_ID: 'id', GITHUB_CLIENT_SECRET: 'secret' }

// Wrong codes and addresses are refused, and a server that is not set up says so with a 500.
const { meet } = setStage({ product: { env: companies }, forgiven: /status of (400|403|500)/ })
let unset: Product

beforeAll(async () => {
  unset = await startProduct({ env: { ENVIRONMENT: 'production', CRON_SECRET: setupSecret } })
})
afterAll(() => unset?.stop())

test('every screen before and after a session', async () => {
  await walk(signedOutScreens, { people: { me: await meet() }, unsetUrl: unset.url })
})
