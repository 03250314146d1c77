// Runs before every test with the real clock: credits and searches belong to a UTC day, and a test across midnight would count on two days.
// In the last minute of a day, it waits for the next.
import { beforeEach } from 'vitest'

const dayMs = 24 * 60 * 60 * 1000
const longestMs = 60_000

beforeEach(async () => {
  const leftMs = dayMs - (Date.now() % dayMs)
  if (leftMs < longestMs) await new Promise((resolve) => setTimeout(resolve, leftMs))
}, 3 * longestMs)
