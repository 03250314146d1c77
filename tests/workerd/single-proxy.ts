/**
 * Keeps requests as quick at the end of a file as at its beginning. For every request, the runner puts another proxy around the prototype of
 * the class by which it reaches the Worker, all of which do the same, so that the thousandth request goes through a thousand of them: 200 ms
 * instead of 2. Here the second and all further ones are the first.
 */
import { DurableObject, WorkerEntrypoint } from 'cloudflare:workers'

const PlatformProxy = Proxy
const bases: readonly (object | null)[] = [DurableObject.prototype, WorkerEntrypoint.prototype]
/** Proxies around the prototype of a class that the platform calls; nobody but the runner makes any. */
const prototypes = new WeakSet<object>()

globalThis.Proxy = new PlatformProxy(PlatformProxy, {
  construct(make, args: ConstructorParameters<typeof Proxy>, newTarget) {
    const [target] = args
    if (prototypes.has(target)) return target
    const made: object = Reflect.construct(make, args, newTarget)
    if (bases.includes(Reflect.getPrototypeOf(target))) prototypes.add(made)
    return made
  },
})
