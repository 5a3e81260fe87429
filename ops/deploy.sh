#!/bin/sh
# Restarts the processes of a bot one after the other, without a gap:
#
#   deploy.sh 3001 3000
#
# The ports are those of the units switchhook@PORT, the backup of the proxy first: see docs/production.md.
# Each process must answer /health with 200 before the next one restarts. If one does not within a minute, the others stay as they are.
set -eu

for port in "$@"; do
  systemctl restart "switchhook@$port"
  waited=0
  until curl --fail --silent --output /dev/null --max-time 2 "http://127.0.0.1:$port/health"; do
    waited=$((waited + 1))
    if [ "$waited" -ge "${HEALTH_CHECKS:-120}" ]; then
      echo "switchhook@$port does not answer /health with 200, so no other process was restarted: journalctl -u switchhook@$port" >&2
      exit 1
    fi
    sleep 0.5
  done
  echo "switchhook@$port answers"
done
