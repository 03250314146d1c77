/** Parts of the screen that come when they are first needed, and all of them before that if nothing else is going on. */
import { type ComponentType, type LazyExoticComponent, lazy } from 'react'
import { importPatiently } from './patient-import.ts'

const parts = new Set<() => Promise<unknown>>()

/** Draw it inside a `Suspense`. Out of reach of the server it waits instead of failing. */
export function later<Props extends object>(load: () => Promise<ComponentType<Props>>): LazyExoticComponent<ComponentType<Props>> {
  parts.add(load)
  return lazy(async () => ({ default: await importPatiently(load) }))
}

/** One attempt for each; what fails here is fetched again, and reported, by whoever needs it. */
export const fetchParts = (): Promise<unknown>[] => [...parts].map((load) => load())
