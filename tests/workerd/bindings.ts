/** The Worker under test and its bindings, typed once. */
import { exports, env as untypedEnv } from 'cloudflare:workers'
import type { Env } from '../../worker/env.ts'

// The pool knows the bindings from wrangler's configuration, not their types.
export const env = untypedEnv as unknown as Env
export const worker = (exports as unknown as { default: Fetcher }).default
