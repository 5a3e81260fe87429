/** Whether an address is this very machine: where it is, no send can reach a handset. */
export function isLoopback(address: string): boolean {
  let host: string
  try {
    host = new URL(address).hostname
  } catch {
    return false
  }
  return host === 'localhost' || host === '[::1]' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host)
}
