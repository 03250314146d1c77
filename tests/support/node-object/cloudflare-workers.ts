/** Replaces the platform's module for objects that run in Node; the test configuration maps it. */
export class DurableObject<Env = unknown> {
  protected readonly ctx: DurableObjectState
  protected readonly env: Env

  constructor(ctx: DurableObjectState, env: Env) {
    this.ctx = ctx
    this.env = env
  }
}

/** Work that outlives its request; nothing ends the process of a test before it. */
export const waitUntil = (work: Promise<unknown>): void => void work
