// Goes before every test that uses the real clock: credits and searches belong to a UTC day, and a test that begins on one and ends on the
// next would count on both. Whoever comes in the last minute of a day waits for the next.
import { beforeEach } from 'vitest'

const dayMs = 24 * 60 * 60 * 1000
const longestMs = 60_000

beforeEach(async () => {
  const leftMs = dayMs - (Date.now() % dayMs)
  if (leftMs < longestMs) await new Promise((resolve) => setTimeout(resolve, leftMs))
}, 3 * longestMs)
