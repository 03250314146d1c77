// The health check of the container image. It prints the settings that are missing or invalid.
import { exit } from 'node:process'

try {
  const response = await fetch(`http://127.0.0.1:${process.env.PORT}/api/health`)
  console.log(await response.text())
  exit(response.ok ? 0 : 1)
} catch (error) {
  console.log(`the server does not answer: ${String((error as Error).cause ?? error)}`)
  exit(1)
}
