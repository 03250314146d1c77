/** The bindings of a production deployment with every required setting. */
import type { Env } from '../../../worker/bindings.ts'
import { type SettingDefinition, settingDefinitions } from '../../../worker/setting-definitions.ts'
import { origin } from '../auth/browser.ts'
import { env } from '../bindings.ts'

const requiredSettings = Object.fromEntries(
  Object.entries<SettingDefinition>(settingDefinitions)
    .filter(([, { isRequired }]) => isRequired)
    .map(([name, { form }]) => [name, form === 'url' ? origin : 'x'.repeat(40)]),
)

export const cronSecret = 'x'.repeat(32)
export const production = { ...env, ...requiredSettings, ENVIRONMENT: 'production', CRON_SECRET: cronSecret } as Env

export const executionContext = { waitUntil: () => undefined, passThroughOnException: () => undefined, props: {} }
