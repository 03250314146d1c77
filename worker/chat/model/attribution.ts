/**
 * Names the user, the plan and the mode in requests to the AI Gateway, whose reports sum the spending by them
 * (https://vercel.com/docs/ai-gateway/capabilities/custom-reporting), as the SDK's middleware. The user is a keyed digest: the reports show how
 * much one user spends, and only this deployment can find the account.
 */
import type { LanguageModelMiddleware } from 'ai'
import type { TurnOrder } from '../../contract/turn.ts'
import { keyedDigest } from '../../lib/keyed-digest.ts'

export type Attributed = Pick<TurnOrder, 'userId' | 'plan' | 'mode'>

export const attribution = (secret: string, { userId, plan, mode }: Attributed): LanguageModelMiddleware => ({
  specificationVersion: 'v4',
  transformParams: async ({ params }) => {
    const user = await keyedDigest(secret, 'user of gateway', userId)
    const gateway = { ...params.providerOptions?.gateway, user, tags: [`plan:${plan}`, `mode:${mode}`] }
    return { ...params, providerOptions: { ...params.providerOptions, gateway } }
  },
})
