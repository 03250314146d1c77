// Checks package-lock.json: no registry addresses, and complete enough for `npm ci`, which every script runs in a fresh clone.
import { z } from 'zod'

const lockSchema = z.object({
  packages: z.record(z.string(), z.object({ optionalDependencies: z.record(z.string(), z.string()).optional() })),
})

/** Returns what is wrong. */
export function lockProblems(lock: string): readonly string[] {
  const { packages } = lockSchema.parse(JSON.parse(lock))
  const names = new Set(Object.keys(packages).map((path) => path.split('node_modules/').at(-1)))
  // npm omits an optional package that the registry does not have, and then refuses its own lock file.
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies)
      .filter((name) => !names.has(name))
      .map(
        (name) => `package-lock.json has no ${name}, so \`npm ci\` fails; remove it from optionalDependencies of ${path || 'the project'}`,
      ),
  )
  // Addresses would bind every clone to one registry.
  const addresses = 'package-lock.json has "resolved"; set omit-lockfile-registry-resolved=true and install again'
  return lock.includes('"resolved":') ? [addresses, ...missing] : missing
}
